import type { ValidationEntry } from '@project-workspace/client';

/** What an entry says, without the words that all of them begin with. */
export const sentenceOf = ({ msg }: ValidationEntry): string => msg.replace(/^Value error, /, '');
