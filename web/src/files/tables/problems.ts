import type { ValidationEntry } from '@project-workspace/client';

/** Returns the message of a validation error without its common prefix. */
export const problemMessage = ({ msg }: ValidationEntry): string => msg.replace(/^Value error, /, '');
