import { type ValidationEntry, ValidationError } from '@project-workspace/client';

/** Returns the validation errors from a failed request. Returns an empty list for other failures. */
export const entriesOf = (error: unknown): readonly ValidationEntry[] =>
  error instanceof ValidationError ? error.entries : [];

/** Returns the message of a validation error without its technical prefix. */
export const problemMessage = ({ msg }: ValidationEntry): string => msg.replace(/^Value error, /, '');

/** Returns the validation error for a request field. */
export function problemAt(error: unknown, field: string): string | undefined {
  const entry = entriesOf(error).find(({ loc }) => loc[1] === field);
  return entry && problemMessage(entry);
}
