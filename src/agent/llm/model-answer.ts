import type { ProviderMetadata, TextStreamPart, ToolSet } from 'ai';
import type { Call } from '../tools/toolboxes.service.js';
import type { ProviderOptions, RecordedStep, StepPart } from '../recorded-step.js';
import { PROVIDER_DATA } from './openai-answer.js';

/** Namespace of the options that the AI SDK's adapter for OpenAI's dialect adds to messages and calls. */
const COMPATIBLE = 'openaiCompatible';

/** Collects the parts of a model's answer. */
export class ModelAnswer {
  text = '';
  /** High surrogate at the end of a chunk. The next chunk starts with the low surrogate. */
  private half = '';
  readonly calls: Call[] = [];
  private readonly parts: StepPart[] = [];
  private readonly reasoning = new Map<string, Extract<StepPart, { type: 'reasoning' }>>();
  private data: { message?: object; calls?: { id?: string; data?: object }[] } = {};

  /** Adds the next part of the stream and returns its text. */
  add(part: TextStreamPart<ToolSet>): string {
    switch (part.type) {
      case 'text-start':
        // Starts a new paragraph for each text part.
        return this.say(this.text === '' ? '' : '\n\n');
      case 'text-delta':
        return this.say(part.text);
      case 'reasoning-start':
      case 'reasoning-delta':
        this.reason(part.id, part.type === 'reasoning-delta' ? part.text : '', part.providerMetadata);
        return '';
      case 'tool-call':
        this.calls.push({ tool: part.toolName, input: part.input });
        this.parts.push({ type: 'tool-call' });
        return '';
      case 'finish-step':
        this.data = part.providerMetadata?.[PROVIDER_DATA] ?? {};
        return '';
      default:
        return '';
    }
  }

  /** Returns the provider data that later requests must repeat with these calls. */
  step(model: string): RecordedStep {
    const { message = {}, calls = [] } = this.data;
    // Providers ignore or reject reasoning without a signature.
    const parts = this.parts.filter((part) => part.type !== 'reasoning' || part.providerOptions !== undefined);
    let at = 0;
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      const { id, data = {} } = calls[at++] ?? {};
      if (Object.keys(data).length > 0) part.providerOptions = { [COMPATIBLE]: data } as ProviderOptions;
      if (id) part.id = id;
    }
    const hasMessageData = Object.keys(message).length > 0;
    const isNeeded = hasMessageData || parts.some((part) => part.type !== 'text' && part.providerOptions !== undefined);
    return {
      model,
      calls: this.calls.length,
      ...(isNeeded && { parts }),
      ...(hasMessageData && { options: { [COMPATIBLE]: message } as ProviderOptions }),
    };
  }

  private say(piece: string): string {
    const pieces = this.half + piece;
    this.half = /[\uD800-\uDBFF]$/.test(pieces) ? pieces.slice(-1) : '';
    const text = pieces
      .slice(0, pieces.length - this.half.length)
      .replaceAll('\0', '')
      .toWellFormed();
    this.text += text;
    const last = this.parts.at(-1);
    if (last?.type === 'text') last.text += text;
    else if (text !== '') this.parts.push({ type: 'text', text });
    return text;
  }

  private reason(id: string, text: string, providerOptions: ProviderMetadata | undefined): void {
    let part = this.reasoning.get(id);
    if (part === undefined) {
      part = { type: 'reasoning', text: '' };
      this.reasoning.set(id, part);
      this.parts.push(part);
    }
    part.text += text;
    if (providerOptions !== undefined) part.providerOptions = providerOptions;
  }
}
