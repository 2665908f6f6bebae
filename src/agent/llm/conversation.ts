import type { ModelMessage, ToolCallPart, ToolResultPart } from 'ai';
import type { AgentContext, AgentMessage } from '../agent.js';
import type { ToolCall } from '../tool-call.js';
import { cutText, markAsData } from '../tools/data-text.js';
import type { Call, Reply } from '../tools/toolbox.service.js';

/** Characters of earlier messages, calls and results included, that the model is given from the newest back. */
const MAX_CHARACTERS = 200_000;
/** Bytes of an earlier call's input and result that are given again. */
const EARLIER_BYTES = 2_000;

/** A call with what came of it, as models read it. */
interface PairedCall {
  id: string;
  tool: string;
  input: unknown;
  output: ToolResultPart['output'];
}

/** A call that was just made. */
export interface MadeCall {
  id: string;
  call: Call;
  reply: Reply;
}

/**
 * The conversation as the model reads it: what fits of the earlier messages, and all that are to be answered.
 *
 * These come last, as models answer the end of a conversation: one that waited may be older than the answer it waited
 * behind. And a person comes first, as providers want it.
 */
export function conversationOf({ messages, attachments }: AgentContext): ModelMessage[] {
  let left = MAX_CHARACTERS;
  const shown: ModelMessage[][] = [];
  for (const message of messages.filter(({ to_answer }) => !to_answer).reverse()) {
    const read = toModel(message, attachments);
    left -= JSON.stringify(read).length;
    if (left < 0) break;
    shown.push(read);
  }
  const before = shown.reverse().flat();
  const begin = before.findIndex(({ role }) => role === 'user');
  const asked = messages.filter(({ to_answer }) => to_answer).flatMap((message) => toModel(message, attachments));
  return [...(begin < 0 ? [] : before.slice(begin)), ...asked];
}

/** What the model has just said and done, and what came of it. */
export function exchange(text: string, calls: MadeCall[]): ModelMessage[] {
  return paired(
    text,
    calls.map(({ id, call: { tool, input }, reply }) => ({
      id,
      tool,
      input,
      output: reply.ok
        ? { type: 'text', value: markAsData(tool, reply.result) }
        : { type: 'error-text', value: `${reply.error_code}: ${reply.error}` },
    })),
  );
}

function toModel(message: AgentMessage, attachments: AgentContext['attachments']): ModelMessage[] {
  if (message.role === 'assistant') return paired(message.content, message.tool_calls.map(earlier));
  if (message.role === 'system') return [{ role: 'user', content: `[Note of the service: ${message.content}]` }];
  return [{ role: 'user', content: userText(message, attachments) }];
}

function userText(message: AgentMessage, attachments: AgentContext['attachments']): string {
  const { content, user_name, answer, file_ids, context, to_answer } = message;
  const files = file_ids.map((reference) => attachments.get(reference)?.path ?? `${reference} (not in the workspace)`);
  const notes = [
    ...(user_name === null ? [] : [`From ${user_name}`]),
    ...(answer === null ? [] : [`Chosen answer: ${JSON.stringify(answer)}`]),
    ...(to_answer && files.length > 0 ? [`Attached files: ${files.join(', ')}`] : []),
    ...(context.length > 0 ? [`About: ${context.map(({ type, id }) => `${type} ${id}`).join(', ')}`] : []),
  ];
  return [...notes.map((note) => `[${note}]`), content || '(no words)'].join('\n');
}

function earlier({ id, tool, input, status, result, error, error_code }: ToolCall): PairedCall {
  const text = JSON.stringify(input);
  const shown = Buffer.byteLength(text) <= EARLIER_BYTES ? input : { beginning: cutText(text, EARLIER_BYTES) };
  return { id, tool, input: shown, output: earlierOutput() };

  function earlierOutput(): PairedCall['output'] {
    if (status !== 'completed')
      return { type: 'error-text', value: `${error_code ?? status}: ${error ?? 'no result'}` };
    if (result === null) return { type: 'text', value: 'No answer yet' };
    return { type: 'text', value: markAsData(tool, cutText(JSON.stringify(result), EARLIER_BYTES)) };
  }
}

/** A tool's name as providers take it back: models also call tools that there are not, by any name. */
const nameOf = (tool: string): string => tool.replace(/[^\w-]/g, '_').slice(0, 64) || '_';

/** A message of the model with its calls, and their results. */
function paired(text: string, calls: PairedCall[]): ModelMessage[] {
  const parts = calls.map(({ id, tool, input }): ToolCallPart => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: nameOf(tool),
    // Arguments that are no object cannot be sent back; what was wrong is in the result.
    input: typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {},
  }));
  const said = text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trimEnd() }];
  if (said.length + parts.length === 0) return [];
  const results = calls.map(({ id, tool, output }): ToolResultPart => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: nameOf(tool),
    output,
  }));
  return [
    { role: 'assistant', content: [...said, ...parts] },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
  ];
}
