import type { JsonRecord } from './json-values.js';

/** Converts the JSON values of a streamed answer into chunks for the AI SDK. Each API dialect has its own reader. */
export interface AnswerReader {
  /** Whether the provider has sent a finish reason. */
  readonly isFinished: boolean;
  /** Whether the end marker was received. */
  readonly hasEndMark: boolean;
  /** Returns the chunks for a value. Skips empty values and unknown types. */
  read(value: JsonRecord): JsonRecord[];
  /** Returns the final chunks. `isMarked` is true after an end marker. @throws ProviderFault if the answer is incomplete */
  end(isMarked: boolean): JsonRecord[];
}
