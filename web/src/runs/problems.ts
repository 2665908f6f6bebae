import { type ValidationEntry, ValidationError } from '@project-workspace/client';

/** What the service says is wrong with a request, place by place; nothing of other failures. */
export const entriesOf = (error: unknown): readonly ValidationEntry[] =>
  error instanceof ValidationError ? error.entries : [];

/** A problem without the words that programs begin it with. */
export const problemIn = ({ msg }: ValidationEntry): string => msg.replace(/^Value error, /, '');

/** What is wrong at a field of a request. */
export function problemAt(error: unknown, field: string): string | undefined {
  const entry = entriesOf(error).find(({ loc }) => loc[1] === field);
  return entry && problemIn(entry);
}
