import { fieldOf } from '../canvas/index.js';
import { tableFormat } from '../data-engine/index.js';
import { isName } from '../modelling/index.js';
import { columnsOf } from './canvas-columns.js';
import { openStatements } from './open-statements.js';
import { exampleFor } from './proposals.js';
import { plainLabel } from './question-parts.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Feasibility } from './solving.js';

/* Help that fits the canvas: the statements that are useful next, with the user's own names. */

/** Statement and its effect. */
type Advice = [statement: string, meaning: string];

const MAX_ADVICE = 8;
const MAX_STATEMENT = 200;
const ALL = 'Write `help all` to see every statement.';

/** Returns at most 12 lines. */
export function describeHelp(sketch: Sketch, files: readonly string[], feasibility: Feasibility): string {
  const [intro, advice] = adviceFor(sketch, files, feasibility);
  const lines = advice
    .slice(0, MAX_ADVICE)
    .map(([statement, meaning]) => `- ${quote(statement, MAX_STATEMENT)} ${meaning}`);
  return [`${intro}\n${lines.join('\n')}`, ALL].join('\n\n');
}

function adviceFor(sketch: Sketch, files: readonly string[], feasibility: Feasibility): [string, Advice[]] {
  const hasObjective = sketch.of('objective').some(({ data }) => data['expression'] !== undefined);
  const [open] = openStatements(sketch);
  if (open !== undefined)
    return [
      `A statement is not understood yet: ${quote(open.card.label, 60)}. You can write:`,
      [
        [`remove ${open.card.label}`, 'to drop it'],
        [exampleFor(sketch) ?? 'labour: 2 chairs + 4 tables <= 40', 'as an example of a limit'],
        ['show', 'to see all cards and what is missing'],
      ],
    ];
  if (feasibility === 'fail') return ['The limits of the model cannot all hold. You can change them:', easing(sketch)];
  if (feasibility === 'pass')
    return ['The model is solved. You can ask about the plan, or try something:', questions(sketch)];
  const read = new Set(sketch.of('data').map(({ data }) => data['file_path']));
  const tables = files.filter(
    (path) => tableFormat(path) !== undefined && !read.has(path) && !path.startsWith('results/'),
  );
  if (hasObjective)
    return ['The model has an objective. These statements may be missing:', [...missing(sketch), ...ofFiles(tables)]];
  if (sketch.of('variable').length > 0)
    return [
      'Say what the plan is good for, and what limits it:',
      [...objectives(sketch), ...limits(sketch), ...ofFiles(tables)],
    ];
  if (tables.length > 0)
    return [
      'Your files can become a part of the model:',
      [...ofFiles(tables), ...(sketch.of('data').length > 0 ? objectives(sketch) : [])],
    ];
  if (columnsOf(sketch).length > 0) return ['Say what the plan decides, and what it is good for:', objectives(sketch)];
  return [
    'Describe what the plan decides, what it is good for, and what limits it, as in this workshop:',
    [
      ['chairs, tables integer', 'for what the plan decides'],
      ['maximize profit: 30 chairs + 50 tables', 'for what it is good for'],
      ['labour: 2 chairs + 4 tables <= 40', 'for a limit'],
      ['make[t] <= 40 for t in weeks', 'for a plan that repeats, after `weeks: 1 to 4`'],
      ['solve', 'to get a plan'],
    ],
  ];
}

const ofFiles = (tables: readonly string[]): Advice[] =>
  tables.slice(0, 2).flatMap((path): Advice[] => {
    const name = (path.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '');
    const set = isName(name) ? name : 'rows';
    return [
      [`show ${path}`, 'to see its columns'],
      [`${set} from ${path} key id`, 'for a set of its rows, with the name of the column that identifies a row'],
    ];
  });

function objectives(sketch: Sketch): Advice[] {
  const column = columnsOf(sketch).find(({ type }) => type === 'number');
  const family = Array.from(sketch.vocabulary.families).find(([, { index }]) => index.over.length === 1);
  const [, shape] = family ?? [];
  const over = shape?.index.over[0];
  const key = over?.names.join(', ') ?? '';
  if (family !== undefined && over?.names.length === 1) {
    const own = columnsOf(sketch).find(({ type, set }) => type === 'number' && set === over.set);
    const factor = own === undefined ? '' : `${own.name}[${key}] * `;
    return [
      [
        `maximize profit: sum ${key} in ${over.set}: ${factor}${family[0]}[${key}]`,
        'or `minimize cost: ...`, for the objective',
      ],
    ];
  }
  const [first, second] = sketch.vocabulary.variables;
  if (first !== undefined)
    return [
      [
        `maximize profit: 30 ${first}${second === undefined ? '' : ` + 50 ${second}`}`,
        'or `minimize cost: ...`, for the objective',
      ],
    ];
  if (column === undefined) return [];
  return [
    [`make[i] integer for i in ${column.set}`, 'for a decision about each member'],
    [`maximize profit: sum i in ${column.set}: ${column.name}[i] * make[i]`, 'for the objective'],
  ];
}

function limits(sketch: Sketch): Advice[] {
  const example = exampleFor(sketch);
  const [first] = sketch.vocabulary.variables;
  return [
    ...(example === undefined ? [] : [[example, 'for a limit'] as Advice]),
    ...(first === undefined ? [] : [[`${first} <= 20`, 'for a bound'] as Advice]),
  ];
}

function missing(sketch: Sketch): Advice[] {
  const { all_constraints_classified, kpis_defined, data_available, production_requirements_defined } = sketch.derive();
  const hasConstraints = sketch.of('constraint').length > 0;
  const isOpen = sketch.of('constraint').some(({ data }) => data['classification'] === undefined);
  const advice: [boolean | undefined, Advice[]][] = [
    [hasConstraints, limits(sketch)],
    [!isOpen || all_constraints_classified, [['all constraints are hard', 'if no plan may break them']]],
    [kpis_defined, [['kpi: none', 'or `kpi hours: ...`, for figures that rate a plan']]],
    [data_available, [['data: in the formulas', 'if no file contains the data']]],
    [
      production_requirements_defined,
      [['requirement: none', 'or `requirement: 10 chairs`, for what must be produced']],
    ],
  ];
  return [...advice.flatMap(([isMet, lines]) => (isMet === true ? [] : lines)), ['confirm; solve', 'to get a plan']];
}

function easing(sketch: Sketch): Advice[] {
  const hard = sketch
    .of('constraint')
    .filter(({ data }) => data['classification'] === 'hard' && data['expression'] !== undefined);
  return [
    ...hard
      .slice(0, 3)
      .map((card): Advice => [`${plainLabel(card)} is soft, penalty 100`, 'to allow a plan to break it at a price']),
    ...hard.slice(0, 1).map((card): Advice => [statementOf(card), 'with another limit, to replace it']),
    ...hard.slice(-1).map((card): Advice => [`remove ${plainLabel(card)}`, 'to plan without it']),
    ['solve', 'to try again'],
  ];
}

function statementOf({ label, data }: SketchCard): string {
  const index = fieldOf<string>({ card_type: 'constraint', data }, 'index');
  return `${label}: ${String(data['expression'])}${index === undefined ? '' : ` for ${index}`}`;
}

function questions(sketch: Sketch): Advice[] {
  const { variables, families } = sketch.vocabulary;
  const [plain] = variables;
  const [family] = families.keys();
  const name = plain ?? family;
  const [limit] = sketch.of('constraint').flatMap((card) => {
    const figure = /[<>]=? ?(?<figure>\d{1,12})$/.exec(String(card.data['expression']))?.groups?.['figure'];
    return figure === undefined ? [] : [`what if ${plainLabel(card)} is ${Math.round(1.1 * Number(figure)) + 1}?`];
  });
  return [
    ['show the result', 'for the whole plan'],
    ...(plain === undefined ? [] : [[`how many ${plain}`, 'for a single amount'] as Advice]),
    ...(family === undefined ? [] : [[`show ${family}`, 'for the amounts of all members'] as Advice]),
    ['which limits bind', 'for what holds the plan back'],
    ...(name === undefined ? [] : [[`why not more ${name}?`, 'for the reasons'] as Advice]),
    ...(limit === undefined ? [] : [[limit, 'to try another limit'] as Advice]),
    ['undo', 'to revert the last change'],
  ];
}
