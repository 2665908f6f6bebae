import type { AssistantModelMessage, ModelMessage, UserModelMessage } from 'ai';
import type { ProviderOptions } from '../recorded-step.js';
import { SENT_ID } from './paired-calls.js';

/** Inserted between tool results and the next user message, because some chat templates require an answer there. */
const BETWEEN = '(I wait for the next message.)';

/**
 * Converts messages to a format that every provider accepts. Roles alternate, except for calls and results. Call ids consist of
 * nine letters and digits.
 */
export function wireMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const wire: ModelMessage[] = [];
  for (const message of messages) {
    const last = wire.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      wire[wire.length - 1] = { role: 'user', content: joinContents(last.content, message.content) };
    } else if (last?.role === 'assistant' && message.role === 'assistant') {
      wire[wire.length - 1] = { ...message, content: [...partsOf(last.content), ...partsOf(message.content)] };
    } else {
      if (last?.role === 'tool' && message.role === 'user') wire.push({ role: 'assistant', content: BETWEEN });
      wire.push(message);
    }
  }
  return withIds(wire);
}

type UserContent = UserModelMessage['content'];

const partsOf = <Content extends AssistantModelMessage['content'] | UserContent>(
  content: Content,
): Exclude<Content, string> =>
  (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as Exclude<Content, string>;

const joinContents = (one: UserContent, other: UserContent): UserContent =>
  typeof one === 'string' && typeof other === 'string' ? `${one}\n\n${other}` : [...partsOf(one), ...partsOf(other)];

/** Assigns new call ids, including the ids inside provider data. */
function withIds(messages: ModelMessage[]): ModelMessage[] {
  let count = 0;
  let ids = new Map<string, string>();
  return messages.map((message): ModelMessage => {
    if (message.role === 'tool') {
      const content = message.content.map((part) =>
        part.type === 'tool-result' ? { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId } : part,
      );
      return { ...message, content };
    }
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    ids = new Map();
    const newIds = new Map<string, string>();
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call') return part;
      count += 1;
      const id = `call${String(count).padStart(5, '0')}`;
      ids.set(part.toolCallId, id);
      const { [SENT_ID]: sentId, ...options } = part.providerOptions ?? {};
      if (typeof sentId?.['id'] === 'string') newIds.set(sentId['id'], id);
      return { ...part, toolCallId: id, providerOptions: options };
    });
    const parts = content.map((part) =>
      part.type === 'tool-call' ? { ...part, providerOptions: withNewIds(part.providerOptions, newIds) } : part,
    );
    return { ...message, content: parts, providerOptions: withNewIds(message.providerOptions, newIds) };
  });
}

/** Replaces call ids in provider data. */
function withNewIds(data: ProviderOptions = {}, ids: ReadonlyMap<string, string>): ProviderOptions {
  const text = JSON.stringify(data, (key, value: unknown) =>
    typeof value === 'string' && /id$/i.test(key) ? (ids.get(value) ?? value) : value,
  );
  return JSON.parse(text) as ProviderOptions;
}
