import type { Question } from '../conversation/index.js';
import { fieldOf } from '../canvas/index.js';
import { shortened } from '../modelling/index.js';
import type { Choice } from './column-choices.js';
import {
  type Dialect,
  DIALECTS,
  type Known,
  type Role,
  splitForeign,
  translate,
  type Translation,
} from './foreign-lines/index.js';
import { readStatement } from './grammar.js';
import { ask, LATER, referTo } from './question-parts.js';
import { counted, quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { StatementOf } from './statement.js';
import type { ParsedStatement } from './turn-work.js';
import type { UnreadCard } from './unread.js';

/*
 * Keeps lines of AMPL, GAMS and Pyomo on a card until the user accepts their translation. A card that is not translated
 * prevents a solve, like other statements that cannot be read.
 */

const LINES_OF = 'Lines of ';
const MAX_LABEL = 60;
/** Maximum number of statements and of other lines that an answer lists. */
const MAX_LISTED = 100;
const MAX_OTHERS = 10;
/** Maximum length of a label of an option that is a statement. */
const MAX_OPTION = 140;
const MAX_QUOTED = 1_000;

interface ForeignCard {
  card: SketchCard;
  translation: Translation;
}

/** Returns the card that keeps lines in another language. Returns undefined for other text. */
export function foreignCard(source: string): UnreadCard | undefined {
  const { dialect, statements } = codeIn(source) ?? {};
  if (dialect === undefined || statements === undefined) return undefined;
  return {
    type: 'constraint',
    label: shortened(statements.join(' ').replace(/\s+/g, ' '), MAX_LABEL),
    data: { expression: joined(dialect, statements), description: `${LINES_OF}${dialect}` },
  };
}

/** Returns the statements of a text that consists of lines in another language. */
function codeIn(source: string): { dialect: Dialect; statements: string[] } | undefined {
  const [part, ...others] = splitForeign(source);
  return part !== undefined && others.length === 0 && 'dialect' in part ? part : undefined;
}

/** Whether a text consists of lines in another language. */
export const isForeign = (source: string): boolean => codeIn(source) !== undefined;

/** Splits a message into lines in another language, joined to a single text, and other text. */
export function* foreignParts(text: string): Generator<{ text: string; isForeign: boolean }> {
  for (const part of splitForeign(text))
    yield 'dialect' in part
      ? { text: joined(part.dialect, part.statements), isForeign: true }
      : { text: part.text, isForeign: false };
}

const joined = (dialect: Dialect, statements: readonly string[]): string =>
  dialect === 'Pyomo' ? statements.join('\n') : statements.map((one) => `${one};`).join('\n');

function dialectOfCard({ card_type, data }: SketchCard): Dialect | undefined {
  const description = card_type === 'constraint' ? data['description'] : undefined;
  return DIALECTS.find((dialect) => description === `${LINES_OF}${dialect}`);
}

/** Translation, with everything on the canvas that it depends on. */
interface KeptTranslation {
  basis: readonly unknown[];
  translation: Translation;
}

/** Newest translations by card data. A turn needs the translation of a long text several times. */
const translations = new WeakMap<SketchCard['data'], KeptTranslation>();

/** Returns the translation of a card. Returns undefined for a card with other text. */
function translationOf(card: SketchCard, sketch: Sketch, role?: Role): Translation | undefined {
  const dialect = dialectOfCard(card);
  if (dialect === undefined) return undefined;
  const basis = [role, sketch.files, ...sketch.cards.map(({ data }) => data)];
  const old = translations.get(card.data);
  if (old?.basis.length === basis.length && old.basis.every((one, at) => one === basis[at])) return old.translation;
  const text = fieldOf<string>(card, 'expression') ?? '';
  const code = codeIn(text);
  const statements =
    code?.dialect === dialect ? code.statements : text.split('\n').map((line) => line.replace(/;$/, ''));
  const translation = translate(dialect, statements, knownOn(sketch), role);
  translations.set(card.data, { basis, translation });
  return translation;
}

const foreignCards = (sketch: Sketch): ForeignCard[] =>
  sketch.of('constraint').flatMap((card) => {
    const translation = translationOf(card, sketch);
    return translation === undefined ? [] : [{ card, translation }];
  });

/** Returns the names on the canvas that a translation refers to. */
function knownOn(sketch: Sketch): Known {
  const { columns, families, sets, values, variables } = sketch.vocabulary;
  return {
    isVariable: (name) => variables.has(name) || families.has(name),
    setsOf: (name) => {
      const over = families.get(name)?.index.over.flatMap(({ set, names }) => names.map(() => set));
      const [shape, ...others] = columns.get(name) ?? [];
      return (
        over ??
        (shape !== undefined && others.length === 0 && sets.get(shape.set)?.arity === 1 ? [shape.set] : undefined)
      );
    },
    setWith: (members) => {
      const names = [...sets].flatMap(([name, { arity, parts }]) => {
        const known = new Set(Array.from(parts?.[0] ?? [], String));
        return arity === 1 && members.every((member) => known.has(member)) ? [name] : [];
      });
      return names.length === 1 ? names[0] : undefined;
    },
    spelling: (name) =>
      [...variables, ...families.keys(), ...values.keys(), ...columns.keys(), ...sets.keys()].find(
        (one) => one.toLowerCase() === name.toLowerCase(),
      ),
  };
}

/** Returns the gap of a card with lines in another language. */
export function foreignGap(card: SketchCard, sketch: Sketch): { field: string; message: string } | undefined {
  const translation = translationOf(card, sketch);
  if (translation === undefined) return undefined;
  const { dialect, statements, problems } = translation;
  const [problem, ...others] = problems;
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'other line')} cannot be translated either`;
  const message =
    statements.length > 0 || problem === undefined
      ? `These lines of ${dialect} are not stated yet: write ${quote(`translate ${referTo(card, sketch)}`)}, or remove them`
      : others.length === 0
        ? problem.reason
        : `${quote(problem.source, MAX_LABEL)}: ${problem.reason}${more}`;
  return { field: 'expression', message };
}

/** Leaves out cards whose translation the answer shows or asks about. */
export const withoutTranslated = <Open extends { card: SketchCard }>(open: readonly Open[], sketch: Sketch): Open[] => {
  const translated = foreignCards(sketch).flatMap(({ card, translation }) =>
    translation.statements.length > 0 ? card : [],
  );
  return open.filter(({ card }) => !translated.includes(card));
};

/** Shows the translations of new lines in another language. */
export const describeTranslations = (sketch: Sketch): string[] =>
  foreignCards(sketch)
    .filter(({ card, translation }) => card.causes.length > 0 && translation.statements.length > 0)
    .flatMap(({ translation }) => describeTranslation(translation));

function describeTranslation({ dialect, statements, problems, idle, missing, renamed, open }: Translation): string[] {
  const shown =
    open === undefined ? statements : statements.map((one) => (one.endsWith(open.formula) ? open.formula : one));
  return [
    `This is ${dialect}. In my words:\n${lines(shown.map((one) => quote(one, MAX_QUOTED)))}`,
    ...(problems.length === 0
      ? []
      : [
          `I cannot translate this:\n${lines(
            problems.map(({ source, reason }) => `${quote(source)}: ${reason}`),
            MAX_OTHERS,
          )}`,
        ]),
    ...(missing.length === 0
      ? []
      : [`These need their members or values:\n${lines(missing.map(describeMissing), MAX_OTHERS)}`]),
    ...(renamed.length === 0
      ? []
      : [`Names that I had to change: ${renamed.map(([from, to]) => `${quote(from)} is ${quote(to)}`).join(', ')}.`]),
    ...(idle.length === 0 ? [] : [`I leave this out, because the model does not need it: ${list(idle)}.`]),
  ];
}

function describeMissing({ name, sets }: Translation['missing'][number]): string {
  const [set, ...others] = sets;
  if (set === undefined && /^[A-Z]/.test(name))
    return `${quote(name)}: write ${quote(`${name}: a, b, c`)}, or ${quote(`${name} from ${name}.csv column ${name}`)}`;
  if (set === undefined)
    return `${quote(name)}: write ${quote(`${name} = 3`)} with its value, or ${quote(`${name}: a, b, c`)} if it is a set`;
  return others.length === 0
    ? `${quote(name)}: write ${quote(`${name} of ${set}: a 1, b 2`)} with a value for each member`
    : `${quote(name)}: write ${quote(`${name} from ${name}.csv key ${sets.join(', ')}`)} for a file with a column for each of these names`;
}

const lines = (items: readonly string[], most = MAX_LISTED): string =>
  [...items.slice(0, most), ...(items.length > most ? [`and ${counted(items.length - most, 'other')}`] : [])]
    .map((item) => `- ${item}`)
    .join('\n');

const list = (sources: readonly string[]): string =>
  `${sources
    .slice(0, MAX_OTHERS)
    .map((one) => quote(one, MAX_LABEL))
    .join(', ')}${sources.length > MAX_OTHERS ? ` and ${counted(sources.length - MAX_OTHERS, 'other')}` : ''}`;

/** Asks whether to state the translation of lines in another language. */
export function askForTranslation(sketch: Sketch): Question | undefined {
  const pending = foreignCards(sketch).filter(({ translation }) => translation.statements.length > 0);
  const foreign = pending.findLast(({ card }) => card.causes.length > 0) ?? pending[0];
  if (foreign === undefined) return undefined;
  const { card, translation } = foreign;
  const { dialect, statements, open } = translation;
  const reference = referTo(card, sketch);
  const [only = '', ...others] = statements;
  const removal: Choice = ['No, remove it', `remove ${reference}`];
  if (open !== undefined)
    return ask(undefined, dialect, `Is ${quote(open.name, MAX_LABEL)} the objective of the plan?`, [
      [`Minimize ${open.name}`, `translate ${reference} to minimize`],
      [`Maximize ${open.name}`, `translate ${reference} to maximize`],
      ['It is a constraint', `translate ${reference} as a constraint`],
      removal,
    ]);
  const isSingle = others.length === 0 && only.length <= MAX_OPTION;
  const question = isSingle
    ? `Shall I state this line of ${dialect} in my words?`
    : `Shall I state these ${counted(statements.length, 'line')}?`;
  return ask(undefined, dialect, question, [
    [isSingle ? only : 'Yes, state all of them', `translate ${reference}`],
    removal,
    LATER,
  ]);
}

/** Replaces statements such as `translate Constraint 1` with the translation of the card. */
export const withTranslations = (said: readonly ParsedStatement[], sketch: Sketch): ParsedStatement[] =>
  said.flatMap((one) => {
    const { statement } = one.reading;
    const card = statement?.kind === 'translate' ? sketch.resolve(statement.whom, ['constraint']) : undefined;
    const translation =
      card && translationOf(card, sketch, statement?.kind === 'translate' ? statement.role : undefined);
    if (translation === undefined) return [one];
    return [one, ...translation.statements.map((source) => ({ source, reading: readStatement(source) }))];
  });

/** Removes the translated lines from a card. Returns a reason if the card does not exist. */
export function takeTranslated(
  { whom, role }: StatementOf<'translate'>,
  sketch: Sketch,
  cause: string,
): string | undefined {
  const card = sketch.resolve(whom, ['constraint']);
  const translation = card && translationOf(card, sketch, role);
  if (card === undefined || translation === undefined)
    return `no card with lines of AMPL, GAMS or Pyomo is called ${quote(whom, MAX_LABEL)}`;
  const { dialect, problems } = translation;
  if (problems.length === 0) {
    sketch.remove(card);
    return undefined;
  }
  const rest = problems.map(({ source }) => source);
  card.label = shortened(rest.join(' ').replace(/\s+/g, ' '), MAX_LABEL);
  sketch.change(card, { expression: joined(dialect, rest) }, cause);
  return undefined;
}
