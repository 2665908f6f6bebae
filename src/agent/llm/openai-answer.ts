import type { AnswerReader } from './answer-reader.js';
import { argumentsOf, isRecord, type JsonRecord, parseJson, recordOf, textOf, tokensOf } from './json-values.js';
import { isEmpty, joinData } from './provider-data.js';
import { brokenOff } from './provider-fault.js';

/** Partial tool call. `data` contains all provider-specific fields. */
interface StreamedCall {
  index: unknown;
  id: string;
  name: string;
  arguments: string;
  data: JsonRecord;
}

/** Key of the provider data in the final chunk. */
export const PROVIDER_DATA = 'provider_data';

/** Placeholder finish reasons that some servers send in every chunk before the last. */
const NO_REASON = new Set(['', 'none', 'null']);

/** Reads chat completion chunks from OpenAI and compatible servers. */
export class OpenAiAnswer implements AnswerReader {
  readonly hasEndMark = false;
  private reason: string | undefined;
  private text = '';
  private data: JsonRecord = {};
  private readonly calls: StreamedCall[] = [];
  private readonly usage: JsonRecord = {};

  get isFinished(): boolean {
    return this.reason !== undefined;
  }

  read(value: JsonRecord): JsonRecord[] {
    const choice = recordOf(Array.isArray(value['choices']) ? value['choices'][0] : undefined);
    for (const usage of [value['usage'], choice['usage'], recordOf(value['x_groq'])['usage']]) this.count(usage);
    const reason = textOf(choice['finish_reason']);
    if (!NO_REASON.has(reason.toLowerCase())) this.reason = reason;
    if (isRecord(choice['delta'])) return this.readDelta(choice['delta']);
    // `message` is a complete answer. If the answer was streamed, it only repeats the deltas.
    return isRecord(choice['message']) && !this.hasSpoken ? this.readDelta(choice['message']) : [];
  }

  private get hasSpoken(): boolean {
    return this.text !== '' || this.calls.length > 0;
  }

  end(isMarked: boolean): JsonRecord[] {
    if (!this.isFinished && !(isMarked && this.hasSpoken)) throw brokenOff();
    const tool_calls = this.calls.map(({ name, arguments: text }, index) => ({
      index,
      id: `call${index}`,
      type: 'function',
      function: { name: name.trim() || '_', arguments: argumentsOf(text) },
    }));
    const data = { message: this.data, calls: this.calls.map(({ id, data }) => ({ id, data })) };
    const last = chunk({}, this.reason?.toLowerCase() ?? 'stop');
    return [chunk({ tool_calls }), { ...last, usage: this.usage, [PROVIDER_DATA]: data }];
  }

  private readDelta({ content, refusal, tool_calls, function_call, ...data }: JsonRecord): JsonRecord[] {
    const parts = partsOf(content ?? refusal);
    const text = parts.map((part) => (part['type'] === 'text' ? textOf(part['text']) : '')).join('');
    // If the content has parts other than text, such as thinking, all of it must be sent back as parts.
    const before = this.data['content'] ?? (parts.some(({ type }) => type !== 'text') ? partsOf(this.text) : undefined);
    if (before !== undefined) this.data = { ...this.data, content: before };
    this.data = joinData(this.data, before === undefined ? data : { ...data, content: parts });
    const calls = Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : [];
    if (isRecord(function_call)) calls.push({ function: function_call });
    for (const call of calls) this.readCall(call);
    this.text += text;
    if (text !== '') return [chunk({ content: text })];
    // An empty chunk restarts the idle timeout. Reasoning is not part of the answer.
    return calls.length === 0 && parts.length === 0 && isEmpty(data) ? [] : [chunk({})];
  }

  private readCall({ index, id, function: details, ...data }: JsonRecord): void {
    const { name, arguments: args, ...more } = recordOf(details);
    const piece = isRecord(args) ? JSON.stringify(args) : textOf(args);
    const call = this.callOf(index, textOf(id), textOf(name), piece);
    call.id ||= textOf(id);
    call.name ||= textOf(name);
    call.arguments += piece;
    call.data = joinData(call.data, isEmpty(more) ? data : { ...data, function: more });
  }

  /**
   * Returns the call that a chunk continues, or a new call. Indexes and ids are unreliable: some servers omit or repeat them.
   */
  private callOf(index: unknown, id: string, name: string, piece: string): StreamedCall {
    const existing =
      typeof index === 'number'
        ? this.calls.findLast((call) => call.index === index)
        : id === ''
          ? this.calls.at(-1)
          : this.calls.findLast((call) => call.id === id);
    if (existing !== undefined) {
      const isOtherId = id !== '' && existing.id !== '' && id !== existing.id;
      const isOtherName = name !== '' && existing.name !== '' && name !== existing.name;
      const isAgain = name !== '' && piece.startsWith('{') && isRecord(safeParse(existing.arguments)) && id === '';
      if (!isOtherId && !isOtherName && !isAgain) return existing;
    }
    const call: StreamedCall = { index, id, name, arguments: '', data: {} };
    this.calls.push(call);
    return call;
  }

  private count(usage: unknown): void {
    if (!isRecord(usage)) return;
    for (const name of ['prompt_tokens', 'completion_tokens'])
      this.usage[name] = tokensOf(usage[name]) ?? this.usage[name];
  }
}

const partsOf = (content: unknown): JsonRecord[] => {
  if (Array.isArray(content)) return content.filter(isRecord);
  return textOf(content) === '' ? [] : [{ type: 'text', text: content }];
};

const chunk = (delta: JsonRecord, finish_reason: string | null = null): JsonRecord => ({
  choices: [{ delta, finish_reason }],
});

const safeParse = (text: string): unknown => (text.trimEnd().endsWith('}') ? parseJson(text) : undefined);
