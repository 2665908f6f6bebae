import type { AnswerReader } from './answer-reader.js';
import { argumentsOf, isRecord, type JsonRecord, recordOf, textOf, tokensOf } from './json-values.js';
import { brokenOff } from './provider-fault.js';

/** Content block that has started. `name` and `input` are set for tool calls, which are forwarded only when complete. */
interface Block {
  type: string;
  name: string;
  input: string;
}

/** Supported block types with their delta types. */
const DELTAS: Record<string, string> = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  tool_use: 'input_json_delta',
};
const USAGE = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
/** Restarts the request's idle timeout. */
const PING = { type: 'ping' };

/** Reads message events from Anthropic and from servers that use the same protocol. */
export class AnthropicAnswer implements AnswerReader {
  hasEndMark = false;
  private reason: string | undefined;
  private hasStarted = false;
  private hasContent = false;
  /** Open blocks by index. */
  private readonly open = new Map<number, Block>();
  /** Index of the latest block. */
  private last = -1;
  private readonly usage: JsonRecord = {};

  get isFinished(): boolean {
    return this.reason !== undefined;
  }

  read(value: JsonRecord): JsonRecord[] {
    const { type, message, delta, index: position, content_block } = value;
    for (const usage of [recordOf(message)['usage'], value['usage']]) this.count(usage);
    const index = typeof position === 'number' ? position : this.last + (type === 'content_block_start' ? 1 : 0);
    switch (type) {
      case 'message':
        return this.readWhole(value);
      case 'content_block_start':
        return [...this.start(), ...this.begin(index, recordOf(content_block))];
      case 'content_block_delta':
        return [...this.start(), ...this.continue(index, recordOf(delta))];
      case 'content_block_stop':
        return this.stop(index);
      case 'message_delta':
        this.reason = textOf(recordOf(delta)['stop_reason']) || this.reason;
        return [];
      case 'message_stop':
        this.hasEndMark = true;
        return [];
      default:
        return [];
    }
  }

  end(): JsonRecord[] {
    if (!this.isFinished && !(this.hasEndMark && this.hasContent)) throw brokenOff();
    const stop_reason = this.reason ?? 'end_turn';
    return [
      ...this.start(),
      ...Array.from(this.open.keys()).flatMap((index) => this.stop(index)),
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 0, ...this.usage } },
      { type: 'message_stop' },
    ];
  }

  /** Reads a complete message from a server that does not stream. */
  private readWhole({ content, stop_reason }: JsonRecord): JsonRecord[] {
    const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
    this.reason = textOf(stop_reason) || undefined;
    return [...this.start(), ...blocks.flatMap((block, index) => [...this.begin(index, block), ...this.stop(index)])];
  }

  private start(): JsonRecord[] {
    if (this.hasStarted) return [];
    this.hasStarted = true;
    return [{ type: 'message_start', message: { usage: { input_tokens: 0 } } }];
  }

  private begin(index: number, block: JsonRecord): JsonRecord[] {
    const { type, input, signature } = block;
    const before = this.stop(index);
    this.last = index;
    if (type === 'redacted_thinking') {
      this.open.set(index, { type, name: '', input: '' });
      return [...before, { type: 'content_block_start', index, content_block: { type, data: textOf(block['data']) } }];
    }
    if (typeof type !== 'string' || DELTAS[type] === undefined) return before;
    this.hasContent ||= type !== 'thinking';
    const hasInput = isRecord(input) && Object.keys(input).length > 0;
    const name = textOf(block['name']).trim() || '_';
    this.open.set(index, { type, name, input: hasInput ? JSON.stringify(input) : '' });
    if (type === 'tool_use') return [...before, PING];
    const first = textOf(block[type]);
    return [
      ...before,
      { type: 'content_block_start', index, content_block: { type, [type]: '' } },
      ...(first === '' ? [] : this.continue(index, { type: DELTAS[type], [type]: first })),
      ...(textOf(signature) === '' ? [] : this.continue(index, { type: 'signature_delta', signature })),
    ];
  }

  private continue(index: number, delta: JsonRecord): JsonRecord[] {
    const { type } = delta;
    const missing = type === 'text_delta' ? 'text' : type === 'thinking_delta' ? 'thinking' : undefined;
    const before = this.open.has(index) || missing === undefined ? [] : this.begin(index, { type: missing });
    const block = this.open.get(index);
    if (block === undefined) return before;
    if (block.type === 'tool_use' && type === DELTAS['tool_use']) {
      block.input += textOf(delta['partial_json']);
      return [PING];
    }
    const isSignature = block.type === 'thinking' && type === 'signature_delta' && textOf(delta['signature']) !== '';
    const isText = type === DELTAS[block.type] && textOf(delta[block.type]) !== '';
    return isSignature || isText ? [...before, { type: 'content_block_delta', index, delta }] : before;
  }

  private stop(index: number): JsonRecord[] {
    const block = this.open.get(index);
    if (block === undefined) return [];
    this.open.delete(index);
    const end = { type: 'content_block_stop', index };
    if (block.type !== 'tool_use') return [end];
    const content_block = { type: 'tool_use', id: `call${index}`, name: block.name, input: {} };
    const delta = { type: 'input_json_delta', partial_json: argumentsOf(block.input) };
    return [{ type: 'content_block_start', index, content_block }, { type: 'content_block_delta', index, delta }, end];
  }

  private count(usage: unknown): void {
    if (!isRecord(usage)) return;
    for (const name of USAGE) {
      const tokens = tokensOf(usage[name]);
      if (tokens !== undefined) this.usage[name] = tokens;
    }
  }
}
