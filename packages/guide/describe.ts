import { CARD_KINDS, type Checklist } from '../canvas/index.js';
import { listFirst } from '../modelling/index.js';
import type { Turn } from './turn.js';
import { type ChecklistItem, readChecklist } from './checklist.js';
import { computedOn, sayDefinition } from './computed-numbers.js';
import { bullets, counted, quote } from './quote.js';
import type { SketchCard } from './sketch.js';
import { NOT_USED } from './unused-statements.js';
import type { AppliedChange, RejectedStatement } from './turn-work.js';
import type { OpenStatement } from './open-statements.js';

const SHOWN_ENTRIES = 10;
/** Maximum number of members that are shown, and maximum number of statements that are quoted. */
const MAX_MEMBERS = 12;
const MAX_QUOTED = 5;

/** Introduces the guide, the skills available in this turn, and the workspace files. */
export function describeStart(context: Turn): string[] {
  return [
    'I am the rule-based guide: I follow fixed rules, and no language model reads what you write. Write `help` to see what I understand.',
    describeMount(context),
    describeWorkspace(context),
  ];
}

function describeMount({ configuration: { instructions, skills } }: Turn): string {
  const guidance =
    instructions === null
      ? 'No instructions are mounted'
      : `Instructions are mounted (AGENTS.md, ${instructions.length} characters)`;
  const names = skills.map(({ name, scope }) => `\`${name}\` (${scope})`);
  return `${guidance}, and ${names.length === 0 ? 'no skills' : `${counted(names.length, 'skill')}: ${names.join(', ')}`}.`;
}

function describeWorkspace({ workspace: { directories, files, total } }: Turn): string {
  const names = [...directories.map((path) => quote(`${path}/`)), ...files.map(({ path }) => quote(path))];
  const shown = names.slice(0, SHOWN_ENTRIES).join(', ');
  const hidden = total - Math.min(SHOWN_ENTRIES, names.length);
  const more = hidden > 0 ? ` and ${hidden} more` : '';
  return total === 0 ? 'The workspace is empty.' : `At the top of the workspace: ${shown}${more}.`;
}

/** Lists files that were added or removed. Also lists files that the messages mention but that do not exist. */
export function describeFiles({ changes, messages, attachments }: Turn): string[] {
  const named = messages.flatMap(({ to_answer, file_ids }) => (to_answer ? file_ids : []));
  const unknown = named.filter((reference) => !attachments.has(reference)).map((reference) => quote(reference));
  const changed = changes.map(({ kind, path }) => `${kind} ${quote(path)}`);
  return [
    ...(changed.length === 0 ? [] : [`Files since my last answer: ${listFirst(changed, 3 * SHOWN_ENTRIES)}.`]),
    ...(unknown.length === 0
      ? []
      : [`Your message names files that are not in the workspace: ${listFirst(unknown, SHOWN_ENTRIES)}.`]),
  ];
}

/** Formats a card on a single line. */
export function describeCard({ card_type, label, data }: SketchCard): string {
  const [expression, index] = [plain(data['expression']), plain(data['index'])];
  const formula = index === undefined ? expression : `${expression} for ${index}`;
  const { title, summaryFields } = CARD_KINDS[card_type];
  const definitions = computedOn({ card_type, data });
  const facts = summaryFields.flatMap(([field, before = '', format]) => {
    if (field === 'computed') return definitions.map((definition) => quote(sayDefinition(definition)));
    if (field === 'index' && definitions.length > 0) return [];
    const value =
      format !== undefined && data[field] !== undefined
        ? format(data[field])
        : field === 'values' || field === 'columns'
          ? figures(data[field])
          : plain(data[field]);
    if (value === 'true') return [before.trim()];
    const isNews =
      value !== undefined && !(['name', 'description'].includes(field) && (value === label || value === formula));
    return isNews ? [`${before}${quote(value)}`] : [];
  });
  return `${title} ${quote(label, 60)}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}`;
}

/** Converts a string, number or flag to text. */
const plain = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : Array.isArray(value)
      ? listFirst(value.map(String), MAX_MEMBERS)
      : undefined;

const figures = (values: unknown): string | undefined =>
  typeof values === 'object' && values !== null
    ? Object.entries(values)
        .slice(0, 40)
        .map(([name, value]) => `${name} = ${plain(value) ?? figuresOf(value)}`)
        .join(', ')
    : undefined;

/** Lists the first values of an object by member. */
const figuresOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `(${listFirst(
        Object.entries(value).map(([member, cell]) => `${member} ${plain(cell) ?? '?'}`),
        MAX_MEMBERS,
      )})`
    : '?';

/** Describes the changes that the turn made to the canvas. Also lists changes that failed. */
export function describeChanges(made: AppliedChange[]): string[] {
  const done = made.flatMap(({ change: { kind, card }, error }) =>
    error !== undefined
      ? []
      : [kind === 'remove' ? `Removed: ${describeCard(card)}` : describeCard(card) + describeReplaced(card)],
  );
  const isReplaced = made.some(({ change: { card }, error }) => error === undefined && describeReplaced(card) !== '');
  const failed = made.flatMap(({ change: { card }, error }) =>
    error === undefined ? [] : [`${describeCard(card)}: ${error}`],
  );
  return [
    ...(done.length === 0 ? [] : [`On the canvas now:\n${bullets(done)}`]),
    ...(isReplaced ? ['Write `undo` to undo these changes.'] : []),
    ...(failed.length === 0 ? [] : [`Not done:\n${bullets(failed)}`]),
  ];
}

const describeReplaced = ({ replaced = [] }: SketchCard): string =>
  replaced.length === 0
    ? ''
    : `. This replaces ${listFirst(
        [...new Set(replaced)].map((text) => quote(text)),
        MAX_QUOTED,
      )}`;

/** Lists the cards whose statements cannot be parsed. They stay on the canvas until they are repaired or removed. */
export function describeOpen(open: readonly OpenStatement[]): string[] {
  const [first] = open;
  if (first === undefined) return [];
  const lines = open.map(({ card, gap }) => `${quote(textOf(card))}: ${gap.message}`);
  const name = first.card.label;
  return [
    `I do not understand this yet, so I cannot solve the model. Rewrite it under the same name, or remove it (${quote(`remove ${name}`)}):\n${bullets(lines)}`,
  ];
}

/** Returns a card's statement. */
function textOf({ label, data }: SketchCard): string {
  const index = plain(data['index']);
  const formula = ['sense', 'expression', 'domain'].flatMap((field) => plain(data[field]) ?? []).join(' ');
  const said = formula === '' ? (plain(data['description']) ?? '') : formula;
  const text = `${said}${index === undefined ? '' : ` for ${index}`}`;
  return text.startsWith(label.replace(/…$/, '')) ? text : `${label}: ${text}`;
}

/** Quotes the statements that were not understood. */
export function describeRefused(refused: RejectedStatement[]): string[] {
  if (refused.length === 0) return [];
  const shown = refused
    .slice(0, MAX_QUOTED)
    .map(({ source, reason }) => quote(source) + (reason === undefined ? '' : `: ${reason}`));
  const more = refused.length > MAX_QUOTED ? [`and ${counted(refused.length - MAX_QUOTED, 'other')}`] : [];
  return [`${NOT_USED}\n${bullets([...shown, ...more])}`];
}

/** Lists the statements that were not read because they exceed the turn's limit. */
export function describeLeft(left: string[]): string[] {
  const [first] = left;
  if (first === undefined) return [];
  const others = new Set(left).size - 1;
  const rest = others === 0 ? '' : ` and ${counted(others, 'statement')} after it`;
  return [
    `I have reached the limit of a turn: ${quote(first)}${rest} ${others === 0 ? 'is' : 'are'} not done yet. Send ${others === 0 ? 'it' : 'them'} again.`,
  ];
}

/** Formats the whole checklist with a line per item. */
export function describeChecklist(checklist: Partial<Checklist>): string {
  const items = readChecklist(checklist);
  const lines = items.map(({ met, statement }) => `- [${met ? 'x' : ' '}] ${statement}`);
  return [`${met(items)}:`, ...lines].join('\n');
}

/** Formats the checklist on a single line. */
export function describeProgress(checklist: Partial<Checklist>): string {
  const items = readChecklist(checklist);
  const missing = items.filter((item) => !item.met).map(({ short }) => short);
  return `${met(items)}${missing.length === 0 ? '. Nothing is missing.' : `; missing: ${missing.join(', ')}.`}`;
}

const met = (items: ChecklistItem[]): string =>
  `Checklist, ${items.filter((item) => item.met).length} of ${items.length} met`;

/** Overview of the statements that the guide understands. */
export const HELP = [
  'Write one statement per line, or separate them with `;`:',
  [
    '- `maximize profit: 30 chairs + 50 tables` or `minimize cost: 2a + 3b`',
    '- `chairs, tables >= 0 integer`, `0 <= x <= 10`, `open binary`, `x in pieces`',
    '- `labour: 2 chairs + 4 tables <= 40`',
    '- `shifts: early, late, night`, `weeks: 1 to 52`, `cost of shifts: early 10, late 12, night 15`',
    '- `products from products.csv key product` for the rows of a file and its columns, `regions from products.csv column region`',
    '- `distance from km.xlsx key plant, columns customer` for a file with a column for each customer',
    '- `staff[s] integer for s in shifts`, `minimize cost: sum s in shifts: cost[s] * staff[s]`, `Need: staff[s] >= 3 for s in shifts`',
    '- `Seats: chairs close to 8, miss costs 5` for a goal that a plan may miss at a price',
    '- `labour is hard`, `wood is soft, penalty 5`, `all constraints are hard`',
    '- `margin[p] = price[p] - cost[p] for p in products` for numbers that follow from others',
    '- `Setup: if open[s] = 0 then make[s] <= 0 for s in sites` for a constraint that only holds under a condition on yes-or-no variables',
    '- `price = 3` for a value, `data: demand.csv` for a file in the workspace, `data: in the formulas`',
    '- `kpi: delivery on time`, `kpi: none`; `requirement: 10 chairs`, `requirement: none`',
    '- `scenario "two shifts": hours x 1.5, demand + 10 where region = "north", without Overtime` and `solve scenarios`; `compare`, `show scenarios`',
    '- `set labour penalty: 5`, `remove labour`, `confirm`, `show`, `solve`',
  ].join('\n'),
].join('\n\n');
