import type { Arithmetic } from '../canvas/index.js';
import { readChanges } from './scenario-grammar.js';
import { quote } from './quote.js';
import type { Reading, SaidChange, WantedChange } from './statement.js';
import { isUnit } from './word-coverage.js';
import { figureInWords, figureOf, NUMBER, without } from './words.js';

/*
 * Reads what-if questions: `what if the budget is 300?`, `what if demand rises by 10 % and we have 2 more carpenters`,
 * `what if there is no overtime`, `what if price of "oak chair" = 30`.
 */

const WHAT_IF =
  /^(?:and |so )?(?:(?:what|how)(?: about)?(?: would happen| happens| changes)? (?:if|when)|suppos(?:e|ing)(?: that)?|imagine(?: that)?) (?<body>.+)$/i;
/**
 * The change may follow the question, as in `what would the profit be with labour at 44` and `how many chairs if wood is 20`.
 */
const CHANGED = /^(?:(?:and|so) )?(?:what|how|which|would|will)\b.* (?<word>if|when|with|given|assuming) (?<body>.*)/i;
const WOULD = /\b(?:would|will|could)\b/i;
const HOW_TO =
  'say what changes, as in `what if the budget is 300`, `what if demand rises by 10 %` or `what if we have 2 more trucks`';

const AMOUNT = String.raw`[$€£]?(?<figure>${NUMBER})(?<percent> ?%| percent)?`;
const SUBJECT = '(?<subject>.+?)';
const REST = '(?<subject>.+)';
const RISES =
  '(?:rises?|rose|increases?|increased|grows?|grew|goes up|went up|climbs?|(?:is|are) (?:raised|increased))';
const FALLS =
  '(?:falls?|fell|drops?|dropped|decreases?|decreased|shrinks?|shrank|declines?|goes down|went down|(?:is|are) (?:cut|reduced|lowered))';
const MORE = '(?:more|extra|additional|further|higher|larger|greater|dearer|more expensive|up)';
const LESS = '(?:fewer|less|lower|smaller|cheaper|down)';
const IS = '(?:is|are|was|were|will be|would be|becomes?|equals?|=)';
const WE = '(?:(?:we|i|you|they) )?';
/** `10 % of 300`. */
const SHARE = new RegExp(String.raw`(?<![\w.])(${NUMBER}) ?(?:%|percent) of [$€£]?(${NUMBER})(?![\w.])`, 'gi');
/** Optional words after a number. They must be a unit. */
const UNIT = String.raw`(?: (?<unit>\p{L}\S*(?: (?:per|an?|each|every) \p{L}\S*)?))?`;

/** Syntax of formulas and of scenario changes. */
const FORMAL = /["“[]| where |\.(?:lower|upper)\b|[+*/][^+*/<>≤≥]*[<>≤≥]/i;

type Groups = Partial<Record<string, string>>;
type Form = [
  pattern: RegExp,
  toChange: (figure: number, groups: Groups) => Omit<WantedChange, 'form' | 'subject'> | undefined,
];

const form = (pattern: string, toChange: Form[1]): Form => [new RegExp(`^${pattern}$`, 'iu'), toChange];
const rounded = (figure: number): number => Number(figure.toPrecision(12));
const by =
  (sign: 1 | -1) =>
  (figure: number, { percent }: Groups): Arithmetic =>
    percent === undefined ? { plus: sign * figure } : { times: rounded(1 + (sign * figure) / 100) };
/** A percentage without a base is ambiguous: `the budget is 10 %` may mean 10, 0.1 or a tenth of the budget. */
const to = (figure: number, { percent }: Groups): Arithmetic | undefined =>
  percent === undefined ? { to: figure } : undefined;
/** Without a percent sign, `demand + 10` is a change in the language of scenarios. */
const percentage =
  (sign: 1 | -1) =>
  (figure: number, groups: Groups): ReturnType<Form[1]> =>
    groups['percent'] === undefined ? undefined : by(sign)(figure, groups);
const times = (factor: number) => (): Arithmetic => ({ times: factor });
const bounded =
  (side: 'lower' | 'upper') =>
  (figure: number, groups: Groups): ReturnType<Form[1]> =>
    to(figure, groups) && { to: figure, side };
const atMost = bounded('upper');
const atLeast = bounded('lower');
const off = (): ReturnType<Form[1]> => ({ isOff: true });
const none = (): ReturnType<Form[1]> => ({ isNone: true });

const FORMS: readonly Form[] = [
  form(`${SUBJECT} ${RISES}(?: by)? ${AMOUNT}${UNIT}`, by(1)),
  form(`${SUBJECT} ${FALLS}(?: by)? ${AMOUNT}${UNIT}`, by(-1)),
  form(`${SUBJECT} (?:${RISES}|${FALLS}|goes|changes) to ${AMOUNT}${UNIT}`, to),
  form(`${SUBJECT} ${IS} ${AMOUNT} ${MORE}`, by(1)),
  form(`${SUBJECT} ${IS} ${AMOUNT} ${LESS}`, by(-1)),
  form(`${SUBJECT} (?:doubles?|doubled|(?:is|are) doubled|(?:is|are) twice as (?:much|many|high|large))`, times(2)),
  form(`${SUBJECT} (?:halves|halved|(?:is|are) halved|(?:is|are) half as (?:much|many|high|large))`, times(0.5)),
  form(`${SUBJECT} (?:triples?|tripled|(?:is|are) tripled)`, times(3)),
  form(`(?:twice|double|twice as (?:much|many))(?: the)? ${REST}`, times(2)),
  form(`half(?: of)?(?: the)?(?: as (?:much|many))? ${REST}`, times(0.5)),
  form(`${AMOUNT} ${MORE}(?: units?)?(?: of)? ${REST}`, by(1)),
  form(`${AMOUNT} ${LESS}(?: units?)?(?: of)? ${REST}`, by(-1)),
  form(`${AMOUNT} ${SUBJECT} ${MORE}`, by(1)),
  form(`${AMOUNT} ${SUBJECT} ${LESS}`, by(-1)),
  form(`${SUBJECT} ?\\+ ?${AMOUNT}`, percentage(1)),
  form(`${SUBJECT} [-−] ?${AMOUNT}`, percentage(-1)),
  form(`${SUBJECT} ?(?:<=|≤|=<|(?:${IS} )?(?:at most|no more than|limited to)) ?${AMOUNT}${UNIT}`, atMost),
  form(`${SUBJECT} ?(?:>=|≥|=>|(?:${IS} )?(?:at least|no less than)) ?${AMOUNT}${UNIT}`, atLeast),
  form(`(?:at most|no more than|up to) ${AMOUNT} ${REST}`, atMost),
  form(`(?:at least|no less than) ${AMOUNT} ${REST}`, atLeast),
  form(`${SUBJECT} ?= ?${AMOUNT} ?[*×]? ?(?<factor>[\\p{L}_][\\p{L}\\p{N}_]*)`, to),
  form(`${SUBJECT} ?${IS} ?(?:only |set to |now )?${AMOUNT}${UNIT}`, to),
  form(`(?:a |an )?${SUBJECT} of ${AMOUNT}${UNIT}`, to),
  form(`${SUBJECT} at ${AMOUNT}${UNIT}`, to),
  form(
    `${WE}(?:set|change|raise|increase|lift|extend|cut|reduce|lower|decrease|limit)(?: the)? ${SUBJECT} to ${AMOUNT}${UNIT}`,
    to,
  ),
  form(`${WE}(?:raise|increase|lift|extend)(?: the)? ${SUBJECT} by ${AMOUNT}${UNIT}`, by(1)),
  form(`${WE}(?:cut|reduce|lower|decrease)(?: the)? ${SUBJECT} by ${AMOUNT}${UNIT}`, by(-1)),
  form(`${WE}no(?: the)? ${REST}`, none),
  form(`${WE}(?:without|drop|dropped|remove|removed|ignore|ignored|leave out|left out)(?: the)? ${REST}`, off),
  form(`${WE}leave(?: the)? ${SUBJECT} out`, off),
  form(`${SUBJECT} ${IS} (?:dropped|removed|gone|ignored|left out|lifted)`, off),
  form(`(?:only )?${AMOUNT} ${REST}`, to),
];

/** `200 hours`, `only 200 hours`, `at most 200 hours` */
const FIGURE_FIRST = new RegExp(
  `^(?:only |at most |at least |no more than |no less than |up to )?[$€£]?${NUMBER}`,
  'i',
);

const LEAD =
  /^(?:(?:there|we|i|you|they|it) (?:(?:is|are|was|were|have|has|had|get|gets|got|make|makes|made|build|built|buy|hire|hired|use|used|could|can|must|only) ){1,3})?(?:(?:the|our|my|an?) )?/i;

/** Reads a what-if question. Returns undefined for other text. */
export function readWhatIf(text: string): Reading | undefined {
  const whole = WHAT_IF.exec(text)?.groups?.['body'];
  const { word = '', body = whole } = whole === undefined ? (CHANGED.exec(text)?.groups ?? {}) : {};
  if (body === undefined) return undefined;
  const changes = readAll(body);
  if (typeof changes !== 'string') return { statement: { kind: 'what_if', changes } };
  // The current plan cannot answer a question about a changed model. `the profit with tax`, however, may be a name.
  const isOther = whole !== undefined || word.toLowerCase() === 'if' || WOULD.test(text) || /\d/.test(body);
  if (!isOther) return undefined;
  const reason = `${quote(changes, 60)} is not a change that I understand: ${HOW_TO}`;
  return { statement: { kind: 'unclear_question', reason } };
}

/** Returns the changes, or the first clause that is not a change. */
function readAll(body: string): (WantedChange | SaidChange)[] | string {
  const isPlain = !FORMAL.test(body);
  const said = isPlain ? undefined : readChanges(body);
  if (said !== undefined && typeof said !== 'string') return said;
  const changes: (WantedChange | SaidChange)[] = [];
  let waiting = '';
  for (const piece of body.split(/, and |, | and (?:if )?/i)) {
    waiting = waiting === '' ? piece : `${waiting} and ${piece}`;
    const formal = FORMAL.test(waiting) ? readChanges(waiting) : undefined;
    const plain = typeof formal === 'object' ? undefined : readOne(waiting);
    const read = typeof formal === 'object' ? formal : plain && [plain];
    if (read === undefined) continue;
    changes.push(...read);
    waiting = '';
  }
  if (waiting === '') return changes;
  const others = readChanges(body);
  return typeof others === 'string' ? waiting : others;
}

function readOne(text: string): WantedChange | undefined {
  const plain = text
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(SHARE, (_, share: string, of: string) => String(rounded((Number(share) / 100) * Number(of))))
    .trim();
  const said = plain.replace(LEAD, '').replace(/^\w+/, (word) => figureInWords(word));
  for (const [pattern, toChange] of FORMS) {
    const groups: Groups = pattern.exec(said)?.groups ?? {};
    const subject = without((groups['subject'] ?? '').replace(LEAD, ''), ` "'\`“”`);
    const figure = groups['figure'] === undefined ? 0 : figureOf(groups['figure']);
    const { unit, factor } = groups;
    if (subject === '' || figure === undefined || /^[\d.]+$/.test(subject)) continue;
    if (unit !== undefined && !isUnit(unit.split(' ')[0] ?? '')) continue;
    const change = toChange(figure, groups);
    if (change === undefined) continue;
    const isAmount = groups['figure'] !== undefined && FIGURE_FIRST.test(said);
    const behind = {
      ...(isAmount && { isAmount }),
      ...(unit !== undefined && { unit }),
      ...(factor !== undefined && { factor }),
    };
    return { form: 'wanted', subject, ...change, ...behind };
  }
  return undefined;
}
