import type { TextPart } from 'ai';

/** Provider data in the format of the AI SDK. */
export type ProviderOptions = NonNullable<TextPart['providerOptions']>;

/** Part of a model's answer. A `tool-call` refers to the next call of the answer. `id` is the provider's call id. */
export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; providerOptions?: ProviderOptions }
  | { type: 'tool-call'; id?: string; providerOptions?: ProviderOptions };

/**
 * Provider data of a model's answer with tool calls, which later requests must repeat. Stored with the message and never shown
 * to users.
 */
export interface RecordedStep {
  /** Provider and model. Other models reject the data. */
  model: string;
  calls: number;
  /** Parts in order. Absent if the provider sent only text and calls. */
  parts?: StepPart[];
  /** Provider data of the whole answer. */
  options?: ProviderOptions;
}
