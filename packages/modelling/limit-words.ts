/* Words that limit amounts in a text which is no formula. */

/** Words that compare amounts. */
export const COMPARISON =
  /\b(?:at (?:least|most)|(?:more|less|fewer|greater|smaller|larger|higher|lower) than|up to|equals?|exceeds?|minimum|maximum|below|above|under|over|beneath|beyond|within|between|(?:limited|restricted|capped|held|kept) (?:to|at)|exactly|or (?:more|less|fewer)|as (?:many|much))\b/i;
const COMPARED =
  /\b(?:more|less|fewer|greater|smaller|larger|higher|lower)\b.{0,60}\bthan\b|\b(?:exceed\w*|double|triple|thrice|times as)\b/i;
export const FIGURE_WORD =
  /\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twice|half)\b/i;
export const RELATION_SIGN = /[<>=≤≥≠]/;

export const hasFigure = (text: string): boolean => /\d/.test(text) || FIGURE_WORD.test(text);
export const isCompared = (text: string): boolean =>
  RELATION_SIGN.test(text) || COMPARISON.test(text) || COMPARED.test(text);
