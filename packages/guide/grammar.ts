import { isProblem, parseFormula, splitIndex } from '../modelling/index.js';
import { describeSyntaxProblem, type IndexedFormula, relationIn } from '../canvas/index.js';
import { whyCounted } from './counted-things.js';
import { readDefinition } from './definition-grammar.js';
import { readSubset } from './derived-set-grammar.js';
import { readFileSet } from './file-set-grammar.js';
import { readGoal } from './goal-grammar.js';
import { readBareQuestion, readQuestion } from './question-grammar.js';
import { readColumnName, readIndexed, readSet } from './index-grammar.js';
import { whyTable } from './pasted-tables.js';
import { readRelation, splitCounts, withClassLast } from './relation-grammar.js';
import { readScenario } from './scenario-grammar.js';
import type { Ranking, Reading, Sense, Statement } from './statement.js';
import { readTableQuestion } from './table-grammar.js';
import { readTiers } from './tier-grammar.js';
import { figureOf, NUMBER, PRICE, priceOf, tidy, without } from './words.js';

/** Maximum length of a statement. Longer statements are rejected without parsing. */
export const MAX_STATEMENT = 2_000;

/** Parses a statement. Takes linear time for any input. CI checks that every pattern in this file takes linear time. */
export function readStatement(source: string): Reading {
  if (source.length > MAX_STATEMENT) return { reason: `a statement can have at most ${MAX_STATEMENT} characters` };
  const text = withClassLast(tidy(source));
  const definition = readDefinition(text);
  if (definition !== undefined) return definition;
  for (const read of isOfNames(text) ? [] : READERS) {
    const reading = read(text);
    if (reading !== undefined) return reading;
  }
  const indexed = readIndexed(text);
  if (indexed !== undefined) return indexed;
  const relation = readRelation(text);
  return relation.statement === undefined
    ? (readTiers(text) ?? readSet(text) ?? readBareQuestion(text) ?? relation)
    : relation;
}

/** Matches the beginning of a formula with a keyword for its kind, as in `objective = 3x` and `kpi = 3`. */
const NAMED_KIND =
  /^(?:objectives?|goals?|kpis?|key figures?|indicators?|max(?:imi[sz]e)?|min(?:imi[sz]e)?) ?=(?![=<>])/i;

/** `max = 12` defines a value, because an objective needs a variable. */
const NAMED_VALUE = new RegExp(`^m(?:ax|in) ?= ?${NUMBER}$`, 'i');

/** Whether text is already a relation. Words that are keywords of other statements are then names. */
const isOfNames = (text: string): boolean =>
  (!NAMED_KIND.test(text) || NAMED_VALUE.test(text)) && relationIn(splitCounts(text).rest) !== undefined;

/** Parser for one kind of statement. Returns undefined for other text. */
type Reader = (text: string) => Reading | undefined;

/** Creates a parser from a pattern. */
const by =
  (pattern: RegExp, toStatement: (groups: Partial<Record<string, string>>) => Statement): Reader =>
  (text) => {
    const match = pattern.exec(text);
    return match === null ? undefined : { statement: toStatement(match.groups ?? {}) };
  };

/** Returns `isFurther` if a phrase such as `no other` means that the existing cards are kept. */
const furtherIn = ({ more, others }: Partial<Record<string, string>>): { isFurther?: true } =>
  more === undefined && others === undefined ? {} : { isFurther: true };

const RELATION_SIGN = /[<>=≤≥]/;
const SENSES: [RegExp, Sense][] = [
  [/^max/i, 'maximize'],
  [/^min/i, 'minimize'],
];
const FIELDS =
  'sense|expression|formula|index|weight|priority|tolerance|tolerance_percent|confirmed|description|name|domain|lower|upper|free|zero_or_between|unit|classification|penalty|target|quantity|product|file_path|sheet|key|column|columns_as|where|cyclic|default|label';
const PENALTY = String.raw`(?:[, ]* ?\(?(?:and |with |at )?(?:an? )?(?:penalty|cost)(?: of| is| =|:)? ?(?<penalty>${PRICE})(?: (?:per|an?|each) ?\w*)?\)?)?`;

/** Last part of an objective such as `3x + 2y, priority 1, may lose 2 %`. */
const RANKED = new RegExp(
  String.raw`^(?<rest>.+?),? \(?(?:and )?(?:(?:with )?(?<field>weight|priority)(?: of| is| =|:)? ?(?<value>${NUMBER})|(?:it )?(?:may|can) lose(?: up to| at most)? (?<loss>${NUMBER})(?<percent> ?(?:%|percent))?)\)?$`,
  'i',
);
const AMOUNT = new RegExp(String.raw`^(?:at least )?(?<figure>${NUMBER}) ?(?<product>.*)$`, 'is');
const CLASSES = [
  String.raw`^(?<whom>.+?),?:?(?: (?:is|are|must be|should be|may be))?(?: an?)?(?: all)? (?<word>hard|soft)(?: constraints?)?${PENALTY}[.!]*$`,
  String.raw`^(?<whom>.+?) (?<word>(?:must|have to|has to)(?: always)? (?:hold|be kept)|(?:may|can|must) (?:never|not) be broken)[.!]*$`,
  String.raw`^(?<whom>.+?) (?:may|can) be (?<word>broken)(?: (?:at|for)(?: a penalty of| a cost of)? (?<price>${PRICE})(?: (?:per|an?|each) ?\w*)?)?[.!]*$`,
].map((pattern) => new RegExp(pattern, 'iu'));

/** Greetings and other words that are not about the model. */
const COURTESY = String.raw`(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|thanks|thank you|ok|okay|all right|(?:very )?good|great|fine|perfect|nice|excellent|bye|goodbye|(?:that|this|it)(?:['’]s| is| looks) (?:all|it|right|correct|good|fine|great)|looks (?:right|good|fine|great)|(?:i think )?we are done)(?: (?:there|guide|very much|a lot))?`;

const READERS: readonly Reader[] = [
  (text) => {
    const reason = whyTable(text) ?? whyCounted(text);
    return reason === undefined ? undefined : { reason };
  },
  readScenario,
  readTableQuestion,
  readFileSet,
  readSubset,
  readColumnName,
  by(
    new RegExp(
      String.raw`^(?:(?:${COURTESY}|yes|now|then|so|and|please|let us|let['’]s|(?:can|could) you|go ahead and),?[.!]* )*(?:solve|optimi[sz]e|run|calculate)(?: (?:it|now|again|this|the|model|plan|please))*[.!?]*$`,
      'i',
    ),
    () => ({ kind: 'solve' }),
  ),
  by(/^(?:the )?(?:set )?(?<whom>[\p{L}_][\p{L}\p{M}\p{N}_]*) (?:is|are) cyclic[.!]*$/iu, ({ whom = '' }) => ({
    kind: 'set',
    whom,
    field: 'cyclic',
    value: 'yes',
  })),
  by(/^(?:help (?:all|everything|full)|all (?:help|statements)|full help)[?.!]*$/i, () => ({
    kind: 'help',
    isAll: true,
  })),
  by(/^(?:help|help me|examples?|\?|what can (?:you|i) do|how does (?:this|it) work)[?.!]*$/i, () => ({
    kind: 'help',
  })),
  by(
    /^(?:show|status|checklist|summary)(?: (?:me|the|my|whole|model|cards?|canvas|checklist|all|it|everything))*[.!?]*$/i,
    () => ({
      kind: 'show',
    }),
  ),
  readQuestion,
  by(/^(?:later|not (?:yet|now)|wait|skip(?: (?:it|this))?)[.!]*$/i, () => ({ kind: 'later' })),
  by(new RegExp(String.raw`^${COURTESY}(?:,?[.!]* ${COURTESY})*[.!]*$`, 'i'), () => ({ kind: 'courtesy' })),
  by(
    /^(?:(?:i |we )?(?:confirm(?:ed)?|agreed?)(?: (?:it|them|(?:the )?(?:objectives?|goals?)))?|(?:the )?(?:objectives?|goals?) (?:is|are) (?:right|correct|confirmed|fine|ok))[.!]*$/i,
    () => ({ kind: 'confirm' }),
  ),
  by(/^confirm (?:the )?(?:objective )?(?<whom>.+)$/i, ({ whom = '' }) => ({ kind: 'confirm', whom })),
  by(
    /^translate (?<whom>.+?)(?: to (?<sense>maximize|minimize)| as an? (?<constraint>constraint))?$/i,
    ({ whom = '', sense, constraint }) => ({
      kind: 'translate',
      whom,
      ...(sense !== undefined && { role: sense.toLowerCase() as 'maximize' | 'minimize' }),
      ...(constraint !== undefined && { role: 'constraint' }),
    }),
  ),
  by(/^(?:remove|delete|drop|forget) (?<whom>.+)$/i, ({ whom = '' }) => ({ kind: 'remove', whom })),
  by(
    new RegExp(String.raw`^set (?<whom>.+?) (?<field>${FIELDS})(?: to |: ?| ?= ?| (?=${NUMBER}$))(?<value>.+)$`, 'is'),
    ({ whom = '', field = '', value = '' }) => ({ kind: 'set', whom, field: field.toLowerCase(), value }),
  ),
  readGoal,
  readObjective,
  readClassification,
  by(
    new RegExp(
      String.raw`^(?<whom>[^:<>=≤≥]+?),? (?:may|can) lose(?: up to| at most)? (?<loss>${NUMBER})(?<percent> ?(?:%|percent))?[.!]*$`,
      'i',
    ),
    ({ whom = '', loss = '', percent }) => ({
      kind: 'set',
      whom,
      field: percent === undefined ? 'tolerance' : 'tolerance_percent',
      value: loss,
    }),
  ),
  by(
    new RegExp(
      String.raw`^(?<field>penalty|weight|priority) (?:of|for) (?<whom>[^:<>=≤≥]+?)(?: is| to|:| =)? (?<value>${NUMBER})$`,
      'i',
    ),
    ({ whom = '', field = '', value = '' }) => ({ kind: 'set', whom, field: field.toLowerCase(), value }),
  ),
  by(
    new RegExp(
      String.raw`^(?!(?:hard|soft)\b)(?<whom>[^:<>=≤≥]+?),?(?: has)?(?: an?)? (?<field>penalty|weight|priority)(?: of| is| =|:)? ?(?<value>${NUMBER})$`,
      'i',
    ),
    ({ whom = '', field = '', value = '' }) => ({ kind: 'set', whom, field: field.toLowerCase(), value }),
  ),
  by(
    /^(?:no (?<more>other |more |further )?kpis?|kpis?(?: is| are)?:? (?:none|no|nothing|(?<others>no others?)|(?:only )?the objective(?: alone| only| itself)?)|(?:the )?objective is the only kpi)[.!]*$/i,
    (groups) => ({ kind: 'no_kpi', ...furtherIn(groups) }),
  ),
  by(
    new RegExp(
      String.raw`^(?:kpi|key figure|indicator) (?<whom>[^:=<>≤≥]+?)(?: has)?(?: an?)? target(?: of| is|:)? (?<value>${NUMBER})$`,
      'i',
    ),
    ({ whom = '', value = '' }) => ({ kind: 'set', whom: `kpi ${whom}`, field: 'target', value }),
  ),
  by(/^(?:kpis?|key figures?|indicators?)(?: (?<label>[^:=<>≤≥]+?))? ?[:=] ?(?<text>.+)$/i, ({ label, text = '' }) => ({
    kind: 'kpi',
    text,
    ...(label !== undefined && { label }),
  })),
  by(
    /^(?:no (?<more>other |more |further )?data|data:? (?:is )?(?:none|no|nothing|(?:(?:they are |it is |all )?(?:in|from) )?(?:the |my |our )?(?:formulas?|model))|(?:all )?(?:the |my |our )?(?:data|figures|numbers) (?:is|are|stand) (?:all )?in the (?:formulas?|model))[.!]*$/i,
    (groups) => ({ kind: 'data_in_formulas', ...furtherIn(groups) }),
  ),
  by(/^(?:the )?data(?: ?:|(?: is)? in| file:?) ?(?<path>[^=<>≤≥]+)$/i, ({ path = '' }) => ({
    kind: 'data_file',
    path: without(path, `"'\``).trim(),
  })),
  by(
    /^(?:no (?<more>other |more |further )?(?:production )?requirements?|(?:production )?requirements?:? (?:none|no|nothing|(?<others>no others?)|nothing beyond the constraints))[.!]*$/i,
    (groups) => ({ kind: 'no_requirement', ...furtherIn(groups) }),
  ),
  readRequirement,
];

/** Reads `maximize profit: 3x + 2y`, `minimise cost = 2a`, `max 3x + 2y`, `maximize profit` or `objective: 3x + 2y`. */
function readObjective(text: string): Reading | undefined {
  const { rest, ranking } = splitRanking(text);
  const match =
    /^(?:(?:objective|goal)s?(?: (?<named>[^:]+?))? ?: ?)?(?:(?:maximi[sz]e|minimi[sz]e|max|min)\b)(?! ?,)(?<said>.*)$/i.exec(
      rest,
    ) ?? /^(?:objective|goal)s?(?: (?<named>[^:=]+?))? ?(?:[:=]|\bis\b) ?(?<said>.+)$/is.exec(rest);
  if (match === null) return undefined;
  const { named, said = '' } = match.groups ?? {};
  const verb = /(?:^|: ?)(maximi[sz]e|minimi[sz]e|max|min)\b/i.exec(rest)?.[1] ?? '';
  const sense = SENSES.find(([pattern]) => pattern.test(verb))?.[1];
  const body = said.replace(/^(?: ?[:=])? ?(?:(?:the|our|my) )?/i, '').trim();
  const whole = parseFormula(body);
  const colon = isProblem(whole) ? body.indexOf(':') : -1;
  const equals = colon >= 0 || !mayGiveName(body, whole) ? -1 : body.indexOf('=');
  const at = colon >= 0 ? colon : equals;
  const label = (at >= 0 ? body.slice(0, at).trim() : '') || named;
  const formula = (at >= 0 ? body.slice(at + 1) : body).trim();
  if (formula === '' && (label ?? '') === '')
    return { reason: 'say what to maximize or minimize, as in `maximize profit: 3x + 2y`' };
  const statement: Statement = {
    kind: 'objective',
    text: formula,
    ...(sense !== undefined && { sense }),
    ...(label !== undefined && { label }),
    ...ranking,
  };
  // `max load: x + y <= 4` is a constraint named `max load`, and `max(x, y) <= 4` is not an objective.
  const parsed = parseFormula(formula);
  if (isProblem(parsed) ? RELATION_SIGN.test(formula) : parsed.relations.length > 0)
    return /^m(?:ax|in)$/i.test(verb) ? undefined : { reason: 'an objective cannot contain <=, >= or =' };
  return label !== undefined && formula !== '' && isProblem(parsed)
    ? { reason: describeSyntaxProblem(parsed, formula) }
    : { statement };
}

/** Whether the first `=` in the body of an objective may follow its name. It does not if it is part of a condition. */
function mayGiveName(body: string, whole: ReturnType<typeof parseFormula>): boolean {
  if (isProblem(whole)) return (body.match(/[<>=≤≥]/g) ?? []).length === 1;
  return whole.relations.length === 1 && whole.relations[0] === '=' && whole.sides[0].kind === 'name';
}

/**
 * Splits `maximize 3x, priority 1, may lose 2 %` into the objective and its importance. A repeated part stays in the objective,
 * which then cannot be read.
 */
function splitRanking(text: string): { rest: string; ranking: Ranking } {
  let rest = text;
  const ranking: Ranking = {};
  const kinds = new Set<string>();
  for (;;) {
    const { rest: before, field, value, loss, percent } = RANKED.exec(rest)?.groups ?? {};
    const kind = field?.toLowerCase() ?? 'tolerance';
    if (before === undefined || kinds.has(kind)) return { rest, ranking };
    kinds.add(kind);
    rest = before;
    if (kind === 'weight') ranking.weight = Number(value);
    else if (kind === 'priority') ranking.priority = Number(value);
    else if (percent === undefined) ranking.tolerance = Number(loss);
    else ranking.tolerance_percent = Number(loss);
  }
}

/** Reads `labour is soft, penalty 5`, `all constraints are hard`, `labour may be broken at 5` or `labour must hold`. */
function readClassification(text: string): Reading | undefined {
  const clauses = clausesOf(text);
  if (clauses.length > 1) {
    const statements = clauses.map((clause) => readClassification(clause)?.statement);
    const isWhole = statements.every((statement) => statement !== undefined);
    return isWhole ? { statement: { kind: 'several', statements } } : undefined;
  }
  for (const pattern of CLASSES) {
    const { whom, word = '', penalty, price } = pattern.exec(text)?.groups ?? {};
    if (whom === undefined || RELATION_SIGN.test(whom)) continue;
    const isSoft = /^(?:soft|broken)$/i.test(word);
    const cost = penalty ?? price;
    return {
      statement: {
        kind: 'classify',
        whom: groupOf(whom),
        counts: {
          classification: isSoft ? 'soft' : 'hard',
          ...(isSoft && cost !== undefined && { penalty: priceOf(cost) }),
        },
      },
    };
  }
  return undefined;
}

const CLASS_LAST = /\b(?:hard|soft)(?: constraints?)?(?:$| \(?(?:an?|and|at|with|penalty|cost)\b)/i;
const PRICED = /^(?:and |with |at )?(?:an? )?(?:penalty|cost)\b/i;

/** Splits `labour is hard, wood is soft, penalty 5` into its clauses. Each clause ends with a class and its penalty. */
function clausesOf(text: string): string[] {
  const clauses: string[] = [];
  let isEnded = true;
  let separator = '';
  for (const [at, piece] of text.split(/(, and |, | and )/i).entries()) {
    if (at % 2 === 1) {
      separator = piece;
      continue;
    }
    if (isEnded && !(clauses.length > 0 && PRICED.test(piece))) clauses.push(piece);
    else clauses.push(`${clauses.pop() ?? ''}${separator}${piece}`);
    isEnded = CLASS_LAST.test(piece) || PRICED.test(piece);
  }
  return clauses;
}

function groupOf(whom: string): string {
  if (/^(?:make )?(?:all|all of them|everything|(?:all )?(?:the )?constraints|all limits|they)(?: all)?$/i.test(whom))
    return 'all';
  return /^(?:make )?(?:all )?(?:the )?(?:unclassified|other|remaining)(?: constraints| ones)?$/i.test(whom)
    ? 'unclassified'
    : whom;
}

const REQUIREMENTS = [
  /^(?:production )?requirements?(?: (?<label>[^:<>=≤≥]+?))?: ?(?<text>.+)$/i,
  /^(?:we must |we have to |must )?produce (?<text>.+)$/i,
];
const MEMBER = /[\p{L}\p{N}_]\[/u;

/**
 * Reads `requirement: chairs >= 100` or `produce 100 chairs a week`. A leading number is the quantity, and the rest is the
 * product.
 */
function readRequirement(said: string): Reading | undefined {
  const match = REQUIREMENTS.map((pattern) => pattern.exec(said)).find((found) => found !== null);
  if (match === undefined) return undefined;
  const { label, text = '' } = match.groups ?? {};
  // `requirement 1` stands for the label `Requirement 1`, which the service generates.
  const name = label !== undefined && /^\d+$/.test(label) ? `Requirement ${label}` : label;
  const named = { kind: 'requirement' as const, text, ...(name !== undefined && { label: name }) };
  const relation = relationIn(text) ?? unreadRelation(text);
  if (relation !== undefined) return { statement: { ...named, relation } };
  const { figure, product } = AMOUNT.exec(text)?.groups ?? {};
  const quantity = figure === undefined ? undefined : figureOf(figure);
  return {
    statement: {
      ...named,
      ...(quantity !== undefined && { quantity }),
      ...(product !== undefined && product !== '' && { product }),
    },
  };
}

/**
 * Returns text that is meant as a relation but cannot be parsed. The card with this text prevents a solve until the text is
 * repaired.
 */
function unreadRelation(text: string): IndexedFormula | undefined {
  if (!MEMBER.test(text) && !RELATION_SIGN.test(text)) return undefined;
  const { body: expression, index } = splitIndex(text) ?? { body: text };
  return { expression, ...(index !== undefined && { index }) };
}
