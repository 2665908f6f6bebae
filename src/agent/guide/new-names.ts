import { FIGURE_WORD } from './words.js';

/** `items from Sheet1 key a` */
const FILE_SET = /^\S+ from \S+ (?:\S+ )?(?:keys?|column) \S/i;
const GIVEN = /^(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)(?: ?:| is| are| equals)(?<body> ?[^:]+)$/iu;
const BETWEEN = /^(?:to|and|or|until|through)$/i;
export const PRONOUN = /^(?:it|this|that|these|those|they|all|life|everything)$/i;

/** Whether a text that cannot be read says something of a name that the model may not have yet. */
export const introducesName = (text: string): boolean => FILE_SET.test(text) || givesFigures(text);

/** `price is 3`, `weeks: one to four` */
function givesFigures(text: string): boolean {
  const { name = '', body = '' } = GIVEN.exec(text)?.groups ?? {};
  const parts = body.split(/[ ,-]+|\.\.+/).filter((part) => part !== '');
  const isFigure = (part: string): boolean => /^\d/.test(part) || FIGURE_WORD.test(part);
  return parts.some(isFigure) && !PRONOUN.test(name) && parts.every((part) => isFigure(part) || BETWEEN.test(part));
}
