import type { WireBody, WireFormat, WireMessage } from './fake-provider.js';

const TOOL_NAME = /^[\w-]{1,64}$/;
/** Mistral's id format, which all providers accept. */
const CALL_ID = /^[a-zA-Z0-9]{9}$/;

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  tool_use_id?: string;
}

/** Returns the reasons why strict providers would reject a conversation. */
export function problemsOf(format: WireFormat, messages: WireBody['messages']): string[] {
  const conversation = messages.filter(({ role }) => role !== 'system' && role !== 'developer');
  return [...common(conversation), ...(format === 'openai' ? ofOpenAi(conversation) : ofAnthropic(conversation))];
}

function common(messages: WireMessage[]): string[] {
  const names = messages.flatMap(({ tool_calls = [], content }) => [
    ...tool_calls.map(({ function: { name } }) => name),
    ...blocksOf(content).flatMap(({ type, name }) => (type === 'tool_use' ? [name ?? ''] : [])),
  ]);
  const ids = messages.flatMap(({ tool_calls = [], content }) => [
    ...tool_calls.map(({ id }) => id),
    ...blocksOf(content).flatMap(({ type, id }) => (type === 'tool_use' ? [id ?? ''] : [])),
  ]);
  return [
    ...(messages[0]?.role === 'user' ? [] : ['begins with no user']),
    ...(messages.at(-1)?.role === 'assistant' ? ['ends with the assistant'] : []),
    ...names.filter((name) => !TOOL_NAME.test(name)).map((name) => `tool name ${name}`),
    ...ids.filter((id) => !CALL_ID.test(id)).map((id) => `call id ${id}`),
    ...(new Set(ids).size === ids.length ? [] : ['repeated call ids']),
    ...(JSON.stringify(messages).includes('\\u0000') ? ['a NUL character'] : []),
  ];
}

function ofOpenAi(messages: WireMessage[]): string[] {
  const problems: string[] = [];
  // Follows Mistral's chat templates: user and assistant messages alternate, apart from calls and results.
  const roles = messages.filter(({ role, tool_calls }) => role !== 'tool' && tool_calls === undefined);
  roles.forEach(({ role }, index) => {
    if ((role === 'user') !== (index % 2 === 0)) problems.push(`message ${index} without calls is from ${role}`);
  });
  messages.forEach(({ role, content, tool_calls, tool_call_id }, index) => {
    if (role !== 'user' && role !== 'assistant' && role !== 'tool') problems.push(`role ${role}`);
    if (tool_calls === undefined && (content === '' || content === null)) problems.push(`message ${index} is empty`);
    if (role === messages[index - 1]?.role && role !== 'tool')
      problems.push(`message ${index} repeats the role ${role}`);
    for (const call of tool_calls ?? []) {
      const input: unknown = JSON.parse(call.function.arguments);
      if (typeof input !== 'object' || input === null) problems.push(`arguments of ${call.id}`);
    }
    const ids = tool_calls?.map(({ id }) => id) ?? [];
    const results = messages.slice(index + 1, index + 1 + ids.length).map((message) => message.tool_call_id);
    if (JSON.stringify(results) !== JSON.stringify(ids)) problems.push(`calls of message ${index} without results`);
    if (role !== 'tool') return;
    const before = messages.slice(0, index).findLast((message) => message.role !== 'tool');
    const isAsked = before?.tool_calls?.some(({ id }) => id === tool_call_id) === true;
    if (!isAsked) problems.push(`result ${tool_call_id} without a call`);
  });
  return problems;
}

function ofAnthropic(messages: WireMessage[]): string[] {
  const problems: string[] = [];
  messages.forEach(({ role, content }, index) => {
    if (role === messages[index - 1]?.role) problems.push(`message ${index} repeats the role ${role}`);
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(content);
    if (blocks.length === 0) problems.push(`message ${index} is empty`);
    if (blocks.some(({ type, text }) => type === 'text' && text?.trim() === ''))
      problems.push(`blank text in ${index}`);
    const asked = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    const given = blocksOf(messages[index + 1]?.content).flatMap(({ tool_use_id }) => tool_use_id ?? []);
    if (role === 'assistant' && JSON.stringify(asked) !== JSON.stringify(given)) {
      problems.push(`calls of message ${index} without results`);
    }
    if (index === 0 && blocks.some(({ type }) => type === 'tool_result')) problems.push('result without a call');
  });
  return problems;
}

const blocksOf = (content: unknown): Block[] => (Array.isArray(content) ? (content as Block[]) : []);
