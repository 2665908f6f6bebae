import { isLimiting, nearestNames } from '../modelling/index.js';
import type { Aggregate, Reading, ResultQuestion } from './statement.js';
import { readWhatIf } from './what-if-grammar.js';
import { without } from './words.js';

/*
 * Reads questions about the newest run: `how many carts`, `show the result`, `what is the total cost`, `which limits bind`,
 * `shadow price of the budget`, `why not more rickshaws?`. Also reads `undo`.
 */

const RELATION = /[<>=≤≥:;]/;
const THE = '(?:(?:the|our|my|this|that|all|last|latest|newest|best|optimal|current) ){0,3}';
const ASKS = String.raw`(?:what(?:['’]s| is| are| was| were| does| do| would be)?|which(?: is| are)?|how (?:much|many|high|large|big|long)(?: is| are| of)?|show(?: me)?|list|tell me|give me|display|where(?: is| are)?)`;

const UNDO =
  /^(?:undo|revert|roll ?back|take (?:it|that|this) back|go back)(?: (?:it|that|this|please|(?:the |my |your )?(?:last|previous|latest)?(?: (?:change|changes|step|edit|one|statement))?))?$/i;
const HOW_TO_GIVE = /^how do i give (?<name>[^ ]+)(?: of (?<set>[^ ]+))?$/i;
const RESULT = new RegExp(
  `^(?<asks>${ASKS} )?${THE}(?:results?|solutions?|plan|outcome|answer|run|variables|values|decisions)$`,
  'i',
);
const KPIS = new RegExp(`^(?<asks>${ASKS} )?${THE}(?:kpis?|key figures|indicators)$`, 'i');
const LIMITS = '(?:limits?|constraints?|bounds?|rules?|bottlenecks?)';
const TIGHT = '(?:bind|binds|binding|tight|active|scarce|exhausted|used up|at (?:the|its|their) limit)';
const BINDING = [
  `${ASKS} ${THE}${LIMITS}(?: (?:is|are))?(?: ${TIGHT})?`,
  `${ASKS} ${THE}${TIGHT}(?: ${LIMITS})?`,
  `what (?:limits|restricts|constrains|stops|holds back) (?:us|the plan|the profit|the result)`,
].map((pattern) => new RegExp(`^${pattern}$`, 'i'));
const ROOMY = [
  `(?:${ASKS} )?${THE}${LIMITS}(?: (?:is|are|do|does))?(?: not|n['’]t) ${TIGHT}`,
  `(?:${ASKS} )?${THE}${LIMITS}(?: (?:have|has|with))?(?: any)? (?:room|slack)(?: left)?`,
  `(?:${ASKS} )?${THE}(?:slack|loose|non-?binding|inactive) ${LIMITS}`,
].map((pattern) => new RegExp(`^${pattern}$`, 'i'));
const ROOM_LEFT = /^how much (?:room|slack)(?: is)?(?: there)?(?: left)? (?:of|in|for|on) (?<subject>.+)$/i;
const ROOM = /^(?:the )?(?:slack|room(?: left)?|usage|utili[sz]ation|activity) (?:of|in|for|on) (?<subject>.+)$/i;
/** Member of a variable with literal keys instead of index names: `make["oak chair", 2]`. */
const MEMBER = /^[\p{L}_][\p{L}\p{N}_]*\[(?=[^[\]]*["“\d])[^[\]]+\]$/u;
/** `utilisation of wood`, `make of elm in week 2`, `make for elm` */
const VALUE_OF = /^[\p{L}_][\p{L}\p{N}_]* (?:of|for) \S.{0,100}$/u;
/** `make by product`, `make for each week` */
const VALUE_BY = /^[\p{L}_][\p{L}\p{N}_]* (?:by|per|(?:for|in) (?:each|every)) [\p{L}_]+$/iu;
/** `make in week 2`, `make for elm in week 2` */
const VALUE_IN =
  /^[\p{L}_][\p{L}\p{N}_]* (?:(?:of|for) \S.{0,60} )?(?:in|on|at) (?:week|month|day|year|quarter|period|shift) \d{1,4}$/iu;
export const PERIOD = /\b(?:in|on|at|of|for) (?:week|month|day|year|quarter|period|shift) \d{1,4}\b/gi;
const SHORT = /^[^ ?]+(?: [^ ?]+)? ?\?$/;
const LIMITING =
  /\d|\b(?:at (?:least|most)|than|below|above|under|over|within|exceeds?|up to|is|are|must|should|cannot|equals?)\b/i;
const BARE_BINDING = new RegExp(`^${THE}(?:(?:binding|tight|active) ${LIMITS}|bottlenecks?)$`, 'i');
const PRICE = new RegExp(
  `^(?:${ASKS} )?${THE}(?:shadow prices?|dual(?: (?:values?|prices?))?s?|marginal (?:values?|prices?)|(?<reduced>reduced costs?))(?: (?:of|for|on) (?<subject>.+))?$`,
  'i',
);
const WORTH = /^what (?:is|would) (?<subject>.+) worth$/i;
const ONE_MORE = /^(?:one|an?|another|1) (?:(?:more|extra) )?(?:(?:unit|hour|piece|day)s? )?(?:of )?|(?: be)$/gi;
const WHY = /^why (?<rest>.+)$/i;
const LESS = /\b(?:so (?:many|much)|fewer|less|too (?:many|much)|at all)\b/i;
/** Words in a "why" question that do not belong to a name. */
const FILLERS =
  /\b(?:not|no|only|just|more|fewer|less|so|few|little|many|much|too|any|at all|are|is|do|does|did|don['’]t|doesn['’]t|didn['’]t|isn['’]t|aren['’]t|can['’]t|cannot|can|we|i|you|it|they|there|the|our|make|build|made|built|produce|produced|have|get|larger|bigger|higher|lower|smaller)\b/gi;
const LEFT = new RegExp(
  `^how (?:much|many)(?: of)? (?<subject>.+?)(?: (?:is|are|do we have|have we))?(?: still)? (?:left|left over|unused|remaining|spare|to spare|available)$`,
  'i',
);
const VALUE = new RegExp(String.raw`^${ASKS} (?<subject>["'“\p{L}\p{N}_].*)$`, 'iu');
const PICKS: [Aggregate, RegExp][] = [
  ['largest', /^(?:the )?(?:largest|biggest|highest|greatest|maximum|max|most)(?: (?:value )?of)?(?: the)? /i],
  ['smallest', /^(?:the )?(?:smallest|lowest|least|minimum|min)(?: (?:value )?of)?(?: the)? /i],
  ['average', /^(?:the )?(?:average|mean)(?: (?:value )?of)?(?: the)? /i],
  ['total', /^(?:the )?(?:total|sum|overall)(?: of)?(?: the)? /i],
];

/** Reads a question about results. Returns undefined for other text. */
export function readQuestion(text: string): Reading | undefined {
  const said = without(text, ' ?!.');
  const whatIf = readWhatIf(said);
  if (whatIf !== undefined) return whatIf;
  if (RELATION.test(said)) return undefined;
  if (UNDO.test(said)) return { statement: { kind: 'undo' } };
  if (/^redo(?: (?:it|that))?$/i.test(said))
    return {
      statement: {
        kind: 'unclear_question',
        reason: 'an undone change comes back only if you write its statements again',
      },
    };
  const { name, set } = HOW_TO_GIVE.exec(said)?.groups ?? {};
  if (name !== undefined) return { statement: { kind: 'how_to_give', name, ...(set !== undefined && { set }) } };
  if (VALUE_IN.test(said)) return { statement: { kind: 'question', about: valueOf(said), isBare: true } };
  const about = askedOf(said);
  return about && { statement: { kind: 'question', about } };
}

function askedOf(said: string): ResultQuestion | undefined {
  if (RESULT.exec(said)?.groups?.['asks'] !== undefined) return { ask: 'result' };
  if (KPIS.exec(said)?.groups?.['asks'] !== undefined) return { ask: 'kpis' };
  if (BINDING.some((pattern) => pattern.test(said))) return { ask: 'binding' };
  if (ROOMY.some((pattern) => pattern.test(said))) return { ask: 'slack' };
  const price = PRICE.exec(withShadow(said))?.groups;
  const of = price?.['subject'];
  if (price !== undefined)
    return {
      ask: price['reduced'] === undefined ? 'shadow_price' : 'reduced_cost',
      ...(of !== undefined && { subject: withoutArticles(of) }),
    };
  const worth = WORTH.exec(said)?.groups?.['subject'];
  if (worth !== undefined) return { ask: 'shadow_price', subject: withoutArticles(worth.replace(ONE_MORE, '')) };
  const why = WHY.exec(said)?.groups?.['rest'];
  if (why !== undefined) {
    const subject = why.replace(FILLERS, ' ').replace(/\s+/g, ' ').trim();
    return subject === '' ? { ask: 'binding' } : { ask: 'why_not', subject, wants: LESS.test(why) ? 'less' : 'more' };
  }
  const left = (LEFT.exec(said) ?? ROOM_LEFT.exec(said))?.groups?.['subject'];
  if (left !== undefined) return { ask: 'left', subject: withoutArticles(left) };
  const subject = VALUE.exec(said)?.groups?.['subject'];
  return subject === undefined ? undefined : valueOf(withoutArticles(subject));
}

/** Corrects a misspelled first word, as in `shaddow price`. */
const withShadow = (said: string): string =>
  said.replace(/(?<!\p{L})\p{L}+(?= prices?\b)/iu, (word) =>
    nearestNames(word, ['shadow'], 1).length > 0 ? 'shadow' : word,
  );

/** Reads a question without a question word, such as `total cost` or `results`. Returns undefined for other text. */
export function readBareQuestion(text: string): Reading | undefined {
  const said = without(text, ' ?!.');
  if (RELATION.test(said)) return undefined;
  const bare = (about: ResultQuestion): Reading => ({ statement: { kind: 'question', about, isBare: true } });
  if (RESULT.test(said)) return bare({ ask: 'result' });
  if (KPIS.test(said)) return bare({ ask: 'kpis' });
  if (BARE_BINDING.test(said)) return bare({ ask: 'binding' });
  const of = ROOM.exec(said)?.groups?.['subject'];
  if (of !== undefined) return bare({ ask: 'value', subject: withoutArticles(of) });
  const isValue = VALUE_OF.test(said) && (text.endsWith('?') || !isLimiting(said.replace(PERIOD, '')));
  if (isValue || VALUE_BY.test(said)) return bare(valueOf(withoutArticles(said)));
  if (SHORT.test(text) || MEMBER.test(said)) return bare(valueOf(withoutArticles(said)));
  // `the sum of x and y is at most 12` is a limit, not a question.
  return PICKS.some(([, pattern]) => pattern.test(said)) && !LIMITING.test(said) ? bare(valueOf(said)) : undefined;
}

const ARTICLES = new Set([
  'the',
  'our',
  'my',
  'this',
  'that',
  'all',
  'last',
  'latest',
  'newest',
  'best',
  'optimal',
  'current',
]);

/** Removes leading words that do not belong to a name. */
function withoutArticles(text: string): string {
  const words = text.split(' ');
  const from = words.findIndex((word) => !ARTICLES.has(word.toLowerCase()));
  return words.slice(Math.max(0, from)).join(' ');
}

function valueOf(said: string): ResultQuestion {
  const [pick, pattern] = PICKS.find(([, one]) => one.test(said)) ?? [];
  const subject = pattern === undefined ? said : said.replace(pattern, '');
  return { ask: 'value', subject, ...(pick !== undefined && { pick }) };
}
