/* Finds words that limit amounts in free text. */

/** Words that compare amounts. */
export const COMPARISON =
  /\b(?:at (?:least|most)|(?:more|less|fewer|greater|smaller|larger|higher|lower) than|up to|equals?|exceeds?|minimum|maximum|below|above|under|over|beneath|beyond|within|between|(?:limited|restricted|capped|held|kept) (?:to|at)|exactly|or (?:more|less|fewer)|as (?:many|much))\b/i;
const COMPARED =
  /\b(?:more|less|fewer|greater|smaller|larger|higher|lower)\b.{0,60}\bthan\b|\b(?:exceed\w*|double|triple|thrice|times as)\b/i;
export const FIGURE_WORD =
  /\b(?:(?<!\b(?:this|that|the|no|any|which|last|first|next|other|every|each) )one|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|million|dozens?|twice|half)\b/i;
export const RELATION_SIGN = /[<>=≤≥≠]/;
/** Matches a number that is not part of a name such as `x2`. */
const FIGURE = /(?<![\p{L}\p{N}_./])[+-]?[.,]?\d/u;
const PROHIBITION =
  /\b(?:no (?!nothing|none|idea|thanks?|problem|worr|doubt|question|comment)(?=\p{L})|not|cannot|never|without|neither|nor)\b|n['’]t\b/iu;
const RULE =
  /\b(?:must|only|always|limit\w*|max(?:imum|imal\w*)?|min(?:imum|imal\w*)?|every|each|per|same|equal\w*|as (?:many|much|few|little)|balanced?)\b/i;
/** Remarks such as `I do not know` or `this is not right`. */
const REMARK = /^(?:(?:no|yes|sorry|hello|hi|well|oh|ok|okay|thanks),? )*(?:i|you|it|this|that)(?: |['’])/i;

export const hasFigure = (text: string): boolean => /\d/.test(text) || FIGURE_WORD.test(text);
export const isCompared = (text: string): boolean =>
  RELATION_SIGN.test(text) || COMPARISON.test(text) || COMPARED.test(text);

/**
 * Whether text contains an amount, a comparison, a rule or a prohibition. A plan may depend on such text, regardless of its
 * topic.
 */
export const isLimiting = (text: string): boolean =>
  FIGURE.test(text) ||
  FIGURE_WORD.test(text) ||
  isCompared(text) ||
  RULE.test(text) ||
  (PROHIBITION.test(text) && !REMARK.test(text));
