import type { Gap } from '../../projects/canvas/card.entity.js';
import { fieldOf } from '../../projects/canvas/card-shapes.js';
import { plainVariables, requirementOf } from '../../projects/canvas/requirement.js';
import type { CompletenessResponse } from '../../projects/canvas/canvas.dto.js';
import type { Question } from '../ask-user-question.js';
import { BLANK } from './answers.js';
import { type Choice, columnChoices, membersChoices, namingOfColumn } from './column-choices.js';
import { quote } from './quote.js';
import type { CardType, Sketch, SketchCard } from './sketch.js';
import { unknownFamilies } from './unknown-families.js';
import { openStatements } from './unread.js';

const LATER: Choice = ['Later', 'later'];
const EXAMPLE: Choice = ['Show me an example', 'help'];
/** Names that one question asks for, and their characters together: they stand in its options. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 600;
const LONGEST_REFERENCE = 60;

/** What a question is made from. */
export interface Situation {
  sketch: Sketch;
  feasibility: CompletenessResponse['feasibility_result'];
  /** Whether this turn has had the model solved, with whatever outcome. */
  isSolved: boolean;
  /** What the solve of this turn found to clash. */
  clash: readonly string[];
  /** Paths of files that are there. */
  files: readonly string[];
}

/**
 * The question for what the model misses next, in the order of the checklist; undefined when nothing is missing.
 *
 * What an option does stands in its description: statements that are applied when it is chosen. The id is the pattern
 * of a statement into which an answer in free words is put.
 */
export function nextQuestion(situation: Situation): Question | undefined {
  const { sketch } = situation;
  const judgements = sketch.judge();
  const open = sketch.cards.flatMap((card, index) => {
    const gap = judgements[index]?.gaps.find(({ severity }) => severity === 'blocking');
    return gap === undefined ? [] : [{ card, gap }];
  });
  const firstOpen = (type: CardType): Question | undefined => {
    const found = open.find(({ card }) => card.card_type === type);
    return found === undefined ? undefined : askForGap(found.card, found.gap, sketch);
  };
  const has = (type: CardType): boolean => sketch.of(type).length > 0;
  return (
    (has('objective') ? firstOpen('objective') : OBJECTIVE) ??
    askForNames(sketch) ??
    askForFamily(sketch) ??
    (has('variable') ? firstOpen('variable') : VARIABLES) ??
    (has('constraint')
      ? (askForUnread(sketch) ?? askForClasses(sketch) ?? firstOpen('constraint'))
      : askForConstraints(sketch)) ??
    (has('kpi') ? firstOpen('kpi') : KPIS) ??
    (has('data') ? firstOpen('data') : askForData(situation)) ??
    (has('production_requirement') ? firstOpen('production_requirement') : REQUIREMENTS) ??
    askForSolve(situation)
  );
}

/** How a card is meant in statements: by its label where that is read as one, else by its id. */
function referTo({ label, id }: SketchCard, sketch: Sketch): string {
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ './%-]*$/u.test(label) && label.length <= LONGEST_REFERENCE;
  const isOnly = sketch.resolve(label)?.id === id && !/^(?:all|they|everything|the|other|remaining)\b/i.test(label);
  return (isPlain && isOnly) || id === undefined ? label : id;
}

function ask(
  id: string | undefined,
  header: string,
  question: string,
  choices: readonly Choice[],
  isMulti = false,
): Question {
  const options = choices
    .filter(([, statements]) => statements.length <= 1_000)
    .map(([label, description]) => ({ label: label.slice(0, 150), description }));
  return { ...(id !== undefined && { id }), header, question, options: distinct(options), multi_select: isMulti };
}

const distinct = (options: Question['options']): Question['options'] =>
  options.filter(({ label }, index) => options.findIndex((other) => other.label === label) === index);

const OBJECTIVE = ask(`objective: ${BLANK}`, 'Objective', 'What should the plan make as good as possible?', [
  ['Highest profit', 'maximize profit'],
  ['Lowest cost', 'minimize cost'],
  ['Shortest time', 'minimize time'],
  ['Highest output', 'maximize output'],
]);
const VARIABLES = ask(
  `variables ${BLANK}`,
  'Variables',
  'What is to be decided? Name the variables, for example `chairs, tables >= 0 integer`.',
  [EXAMPLE, LATER],
);
const KPIS = ask(
  `kpi: ${BLANK}`,
  'KPIs',
  'Which figures show whether a plan is good, beside the objective?',
  [
    ['The objective alone', 'kpi: none'],
    ['Total cost', 'kpi: Total cost'],
    ['Delivery on time', 'kpi: Delivery on time'],
    ['Use of capacity', 'kpi: Use of capacity'],
  ],
  true,
);
const REQUIREMENTS = ask(
  `requirement: ${BLANK}`,
  'Requirements',
  'Is there anything that has to be produced, beyond the constraints?',
  [['No, nothing', 'requirement: none'], LATER],
);

/** Asks for the field of a card that a gap is about. */
function askForGap(card: SketchCard, { field, message }: Pick<Gap, 'field' | 'message'>, sketch: Sketch): Question {
  const reference = referTo(card, sketch);
  const id = `set ${reference} ${field}: ${BLANK}`;
  const setting = (value: string): string => `set ${reference} ${field}: ${value}`;
  const header = HEADERS[card.card_type];
  const question = `${quote(card.label, 60)}: ${message}${/[?.]$/.test(message) ? '' : '.'}`;
  const removal: Choice = [`Remove ${plainLabel(card)}`, `remove ${reference}`];
  if (card.card_type === 'objective' && field === 'sense') {
    return ask(id, header, question, [
      ['Maximize', setting('maximize')],
      ['Minimize', setting('minimize')],
    ]);
  }
  if (field === 'weight' || field === 'penalty') {
    return ask(id, header, question, [
      ...['1', '10', '100'].map((figure): Choice => [figure, setting(figure)]),
      removal,
    ]);
  }
  if (field === 'key') return ask(id, header, question, [...columnChoices(card, sketch, setting), removal]);
  if (field === 'column') return ask(id, header, question, [...membersChoices(card), removal]);
  if (field === 'columns') {
    const naming = namingOfColumn(card, sketch);
    return ask(naming?.(BLANK), header, question, [...(naming ? columnChoices(card, sketch, naming) : []), removal]);
  }
  if (field === 'expression') {
    const names = sketch
      .of('variable')
      .flatMap(({ data: { name, index } }) => (typeof name === 'string' && index === undefined ? [name] : []));
    const sum: Choice[] =
      card.card_type === 'objective' && names.length > 0
        ? [[`The sum of ${names.join(', ')}`, setting(names.join(' + '))]]
        : [];
    const hint = card.card_type === 'objective' ? 'For example `3x + 2y`.' : 'For example `x + y <= 4`.';
    return ask(id, header, `${question} ${hint}`, [...sum, EXAMPLE, removal]);
  }
  return ask(id, header, question, [removal, LATER]);
}

const HEADERS: Record<CardType, string> = {
  objective: 'Objective',
  variable: 'Variable',
  constraint: 'Constraint',
  kpi: 'KPI',
  data: 'Data',
  production_requirement: 'Requirement',
};

const plainLabel = ({ label }: SketchCard): string =>
  label.replace(/\s+/gu, ' ').trim().slice(0, LONGEST_REFERENCE) || 'it';

/** Asks what the names in formulas are that nothing has. */
function askForNames(sketch: Sketch): Question | undefined {
  const { values } = sketch;
  const variables = new Set(sketch.of('variable').map(({ data }) => data['name']));
  const isOpen = (name: string): boolean =>
    !variables.has(name) && !values.has(name) && sketch.namedCard(name) === undefined;
  const names = shortList([...sketch.names].filter(isOpen));
  const [first] = names;
  if (first === undefined) return undefined;
  const list = names.join(', ');
  const what = names.length === 1 ? 'What is' : 'What are';
  return ask(
    `${list} ${BLANK}`,
    'Names',
    `${what} ${names.map((name) => quote(name, 40)).join(', ')}? A choice that the plan makes, or a value that is known, as in \`${first.slice(0, 40)} = 3\`?`,
    [
      ['Whole numbers from 0', `${list} >= 0 integer`],
      ['Amounts from 0, fractions too', `${list} >= 0 continuous`],
      ['Yes-or-no choices', `${list} binary`],
    ],
  );
}

/** Asks what the first name is that formulas use with an index and nothing has. */
function askForFamily(sketch: Sketch): Question | undefined {
  const [first] = unknownFamilies(sketch);
  if (first === undefined) return undefined;
  const { member, index } = first;
  const set = index.slice(index.indexOf(' in ') + ' in '.length);
  const example = /^[^,]+$/.test(index) ? `, as in \`${member.slice(0, member.indexOf('['))} of ${set}: ...\`` : '';
  return ask(
    undefined,
    'Names',
    `What is ${quote(member, 80)}? A choice for each ${quote(index, 80)}, or a figure that is known${example}?`,
    [
      ['Whole numbers from 0', `${member} integer for ${index}`],
      ['Amounts from 0, fractions too', `${member} continuous for ${index}`],
      ['Yes-or-no choices', `${member} binary for ${index}`],
    ],
  );
}

/** The first names, as many as fit into one question. */
function shortList(names: string[]): string[] {
  let characters = 0;
  return names.slice(0, MAX_NAMES).filter(({ length }) => (characters += length + 2) <= MAX_NAME_CHARACTERS);
}

function askForConstraints(sketch: Sketch): Question {
  const bounds = sketch.of('variable').flatMap((card): Choice[] => {
    const [name, lower, upper] = [
      fieldOf<string>(card, 'name'),
      fieldOf<number>(card, 'lower'),
      fieldOf<number>(card, 'upper'),
    ];
    if (name === undefined || (lower === undefined && upper === undefined)) return [];
    const relation = lower === undefined ? `<= ${upper}` : `>= ${lower}`;
    return [['None but the bounds of the variables', `range of ${name}: ${name} ${relation}, hard`]];
  });
  return ask(undefined, 'Constraints', 'Which limits are there? For example `labour: x + y <= 4`.', [
    ...bounds.slice(0, 1),
    EXAMPLE,
    LATER,
  ]);
}

/** Asks for a constraint that cannot be read before it asks how constraints count. */
function askForUnread(sketch: Sketch): Question | undefined {
  const unread = openStatements(sketch).find(({ card }) => card.card_type === 'constraint');
  return unread && askForGap(unread.card, unread.gap, sketch);
}

function askForClasses(sketch: Sketch): Question | undefined {
  const open = sketch
    .of('constraint')
    .filter(({ data }) => data['classification'] === undefined && data['expression'] !== undefined);
  const [first, ...others] = open;
  if (first === undefined) return undefined;
  const which = open
    .slice(0, 5)
    .map(({ label }) => quote(label, 40))
    .join(', ');
  const more = open.length > 5 ? ` and ${open.length - 5} more` : '';
  const soft = open
    .slice(0, 3)
    .map((card): Choice => [`${plainLabel(card)} may be broken at a price`, `${referTo(card, sketch)} is soft`]);
  return ask(
    others.length === 0 ? `${referTo(first, sketch)} is ${BLANK}` : `unclassified constraints are ${BLANK}`,
    'Constraints',
    `Must ${which}${more} always hold, or may a plan break ${others.length === 0 ? 'it' : 'them'} at a price?`,
    [[others.length === 0 ? 'It must hold' : 'They must all hold', 'unclassified constraints are hard'], ...soft],
  );
}

function askForData({ files }: Situation): Question {
  return ask(`data: ${BLANK}`, 'Data', 'Where do the figures come from?', [
    ['They stand in the formulas', 'data: in the formulas'],
    ...files
      .filter((path) => /^[^;=<>≤≥`]{1,100}$/.test(path))
      .slice(0, 4)
      .map((path): Choice => [path, `data: ${path}`]),
    ['From a file that I upload next', 'later'],
  ]);
}

function askForSolve({ sketch, feasibility, isSolved, clash }: Situation): Question | undefined {
  // What this turn could not find out is not found out by asking for the same again.
  if (feasibility === 'pass' || (feasibility === 'unchecked' && isSolved)) return undefined;
  if (feasibility === 'fail') {
    const hard = sketch.of('constraint').filter(({ data }) => data['classification'] === 'hard');
    // A chain like `1 <= x <= y` is several rows, which are numbered.
    const clashes = ({ label }: SketchCard): boolean =>
      clash.some((name) => name === label || name.replace(/ \(\d+\)$/, '') === label);
    const soft = hard
      .filter(clashes)
      .slice(0, 4)
      .map((card): Choice => [
        `${plainLabel(card)} may be broken`,
        `${referTo(card, sketch)} is soft, penalty 100; solve`,
      ]);
    const variables = plainVariables(sketch.cards);
    const required = sketch
      .of('production_requirement')
      .filter((card) => clashes(card) && requirementOf(card, variables) !== undefined)
      .slice(0, 2)
      .map((card): Choice => [`Without the requirement ${plainLabel(card)}`, `remove ${referTo(card, sketch)}; solve`]);
    const again: Choice = ['Solve it again', 'solve'];
    const question =
      soft.length + required.length > 0
        ? 'What may change?'
        : 'Change the constraints, the bounds or the objective, and have it solved again.';
    return ask(undefined, 'Feasibility', `The last solve found no plan. ${question}`, [
      ...soft,
      ...required,
      again,
      LATER,
    ]);
  }
  const isConfirmed = sketch.of('objective').every(({ data }) => data['confirmed'] === true);
  if (isConfirmed) return ask(undefined, 'Solve', 'Shall I solve the model?', [['Solve it', 'solve'], LATER]);
  const objectives = sketch
    .of('objective')
    .slice(0, 3)
    .map(({ data: { sense, expression } }) => quote(`${String(sense)} ${String(expression)}`, 200))
    .join(', ');
  return ask(undefined, 'Solve', `Is ${objectives} what you want, and shall I solve the model?`, [
    ['Yes, solve it', 'confirm; solve'],
    ['It is right, but do not solve yet', 'confirm; later'],
    ['Not yet', 'later'],
  ]);
}
