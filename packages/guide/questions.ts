import {
  CARD_KINDS,
  CARD_TYPES,
  type CardType,
  type Checklist,
  fieldOf,
  type Gap,
  plainVariables,
  requirementOf,
} from '../canvas/index.js';
import type { Question } from '../conversation/index.js';
import { RELATION_SIGN } from '../modelling/index.js';
import { BLANK } from './answers.js';
import { type Choice, columnChoices, membersChoices, namingOfColumn } from './column-choices.js';
import { computedOn, sayEquation } from './computed-numbers.js';
import { askForTranslation } from './foreign-cards.js';
import { allMembers } from './limits.js';
import { meantFormulas } from './meaning-questions.js';
import { askForNames } from './name-questions.js';
import { exampleFor } from './proposals.js';
import { ask, EXAMPLE, LATER, plainLabel, referTo } from './question-parts.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import { askForStray } from './stray-variables.js';
import { openStatements } from './open-statements.js';

/** State from which the next question is chosen. */
export interface Situation {
  sketch: Sketch;
  feasibility: Checklist['feasibility_result'];
  /** Whether a solve ran in this turn, regardless of its outcome. */
  isSolved: boolean;
  /** Conflicting constraints that the solve in this turn found. */
  clash: readonly string[];
  /** Paths of existing files. */
  files: readonly string[];
}

/**
 * Returns the question about the next missing part of the model, in the order of the checklist. Returns undefined if nothing is
 * missing.
 *
 * The description of an option contains the statements that are applied when the user chooses it. The id is a statement pattern
 * for a free-text answer.
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
  const firstOpenOr = (type: CardType, question: Question): Question | undefined =>
    sketch.of(type).length > 0 ? firstOpen(type) : question;
  // An objective may be incomplete only because its formula contains an unknown name.
  const names = askForNames(sketch);
  const isNamed = open.some(({ card, gap }) => card.card_type === 'objective' && gap.field !== 'expression');
  const needsNames = names !== undefined && !isNamed && sketch.of('objective').length > 0;
  const questions: Record<CardType, () => Question | undefined> = {
    objective: () => (needsNames ? names : (firstOpenOr('objective', OBJECTIVE) ?? names)),
    variable: () => firstOpenOr('variable', VARIABLES),
    constraint: () =>
      askForUnread(sketch) ?? askForClasses(sketch) ?? firstOpenOr('constraint', askForConstraints(sketch)),
    kpi: () => firstOpenOr('kpi', KPIS),
    data: () => firstOpenOr('data', askForData(situation)),
    production_requirement: () => firstOpenOr('production_requirement', REQUIREMENTS),
  };
  const urgent = askForTranslation(sketch) ?? askForMeant(sketch) ?? askForStray(sketch);
  if (urgent !== undefined) return urgent;
  for (const type of CARD_TYPES) {
    const question = questions[type]();
    if (question !== undefined) return question;
  }
  return askForSolve(situation);
}

/** Maximum number of unparsed statements that are compared with formulas. */
const MAX_PROPOSED = 20;
const OBJECTIVE = ask(`objective: ${BLANK}`, 'Objective', 'What should the plan optimize?', [
  ['Highest profit', 'maximize profit'],
  ['Lowest cost', 'minimize cost'],
  ['Shortest time', 'minimize time'],
  ['Highest output', 'maximize output'],
]);
const VARIABLES = ask(
  `variables ${BLANK}`,
  'Variables',
  'What should the plan decide? Name the variables, for example `chairs, tables >= 0 integer`.',
  [EXAMPLE, LATER],
);
const KPIS = ask(
  `kpi: ${BLANK}`,
  'KPIs',
  'Which figures besides the objective show whether a plan is good?',
  [
    ['Only the objective', 'kpi: none'],
    ['Total cost', 'kpi: Total cost'],
    ['Delivery on time', 'kpi: Delivery on time'],
    ['Use of capacity', 'kpi: Use of capacity'],
  ],
  true,
);
const REQUIREMENTS = ask(
  `requirement: ${BLANK}`,
  'Requirements',
  'Does anything have to be produced, apart from the constraints?',
  [['No, nothing', 'requirement: none'], LATER],
);

/** Asks for the value of the field that has a gap. */
function askForGap(card: SketchCard, { field, message }: Pick<Gap, 'field' | 'message'>, sketch: Sketch): Question {
  const reference = referTo(card, sketch);
  const id = `set ${reference} ${field}: ${BLANK}`;
  const setting = (value: string): string => `set ${reference} ${field}: ${value}`;
  const header = CARD_KINDS[card.card_type].title;
  const question = `${quote(card.label, 60)}: ${message}${/[?.]$/.test(message) ? '' : '.'}`;
  const removal: Choice = [`Remove ${plainLabel(card)}`, `remove ${reference}`];
  if (card.card_type === 'objective' && field === 'sense') {
    return ask(id, header, question, [
      ['Maximize', setting('maximize')],
      ['Minimize', setting('minimize')],
    ]);
  }
  if (field === 'weight' || field === 'penalty' || field === 'priority') {
    return ask(id, header, question, [
      ...(field === 'priority' ? ['1', '2', '3'] : ['1', '10', '100']).map((figure): Choice => [
        figure,
        setting(figure),
      ]),
      removal,
    ]);
  }
  if (field === 'computed') {
    const computed = computedOn(card);
    const definition = computed.find(({ name }) => message.startsWith(`${name}:`)) ?? computed[0];
    const pattern = definition && `compute ${sayEquation({ ...definition, expression: BLANK })}`;
    return ask(pattern, header, question, [removal, LATER]);
  }
  if (field === 'key') return ask(id, header, question, [...columnChoices(card, sketch, setting), removal]);
  const members = field === 'column' ? membersChoices(card) : [];
  if (members.length > 0) return ask(id, header, question, [...members, removal]);
  const naming = field === 'columns' ? namingOfColumn(card, sketch) : undefined;
  const columns = naming === undefined ? [] : columnChoices(card, sketch, naming);
  if (columns.length > 0) return ask(naming?.(BLANK), header, question, [...columns, removal]);
  if (field === 'expression') {
    const names = sketch
      .of('variable')
      .flatMap(({ data: { name, index } }) => (typeof name === 'string' && index === undefined ? [name] : []));
    const sum: Choice[] =
      card.card_type === 'objective' && names.length > 0
        ? [[`The sum of ${names.join(', ')}`, setting(names.join(' + '))]]
        : [];
    const example = card.card_type === 'objective' ? undefined : exampleFor(sketch);
    const hint = card.card_type === 'objective' ? '3x + 2y' : (example?.replace(/^limit: /, '') ?? 'x + y <= 4');
    const meant = meantFormulas(card, reference, sketch);
    const isSentence = meant.length > 0 && !RELATION_SIGN.test(String(card.data['expression']));
    const meaning =
      meant.length === 1
        ? `Shall I state ${quote(card.label, 60)} like this?`
        : `What did you mean by ${quote(card.label, 60)}?`;
    const text = isSentence ? meaning : `${question} For example ${quote(hint)}.`;
    return ask(id, header, text, [...meant, ...sum, EXAMPLE, removal]);
  }
  const meant = field === 'product' ? meantFormulas(card, reference, sketch) : [];
  return ask(id, header, question, [...meant, removal, LATER]);
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
    return [
      ['Only the bounds of the variables', `range of ${name}: ${allMembers(`${name} ${relation}`, name, card)}, hard`],
    ];
  });
  return ask(undefined, 'Constraints', 'Which limits does the plan have? For example `labour: x + y <= 4`.', [
    ...bounds.slice(0, 1),
    EXAMPLE,
    LATER,
  ]);
}

/** Asks what the user meant by text that is probably a formula. */
function askForMeant(sketch: Sketch): Question | undefined {
  const meant = openStatements(sketch)
    .slice(0, MAX_PROPOSED)
    .find(
      ({ card }) => card.card_type === 'constraint' && meantFormulas(card, referTo(card, sketch), sketch).length > 0,
    );
  return meant && askForGap(meant.card, meant.gap, sketch);
}

/** Asks about a constraint that cannot be parsed before asking about the classes of constraints. */
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
  return ask(`data: ${BLANK}`, 'Data', 'Where does the data come from?', [
    ['It is in the formulas', 'data: in the formulas'],
    ...files
      .filter((path) => /^[^;=<>≤≥`]{1,100}$/.test(path))
      .slice(0, 4)
      .map((path): Choice => [path, `data: ${path}`]),
    ['From a file that I will upload', 'later'],
  ]);
}

function askForSolve({ sketch, feasibility, isSolved, clash }: Situation): Question | undefined {
  // Another solve would give the same result.
  if (feasibility === 'pass' || (feasibility === 'unchecked' && isSolved)) return undefined;
  if (feasibility === 'fail') {
    const hard = sketch.of('constraint').filter(({ data }) => data['classification'] === 'hard');
    // A chain such as `1 <= x <= y` results in several numbered constraint rows.
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
    const again: Choice = ['Solve again', 'solve'];
    const question =
      soft.length + required.length > 0
        ? 'What may change?'
        : 'Change the constraints, the bounds or the objective, and solve the model again.';
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
    ['It is right, but do not solve it yet', 'confirm; later'],
    ['Not yet', 'later'],
  ]);
}
