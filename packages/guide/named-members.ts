import {
  evaluateFigures,
  isProblem,
  namesOfIndex,
  nearestNames,
  parseIndex,
  type Values,
  wordsOf,
} from '../modelling/index.js';
import { fieldOf, nameOf, readData, readIndex } from '../canvas/index.js';
import { describeColumns } from './canvas-columns.js';
import { computedNames } from './computed-numbers.js';
import { namesOf, type Thing, thingNamed } from './named-things.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';
import { unusedWords } from './word-coverage.js';

/* Finds the members of variables and columns that text mentions, such as `oak chair in week 2`. Uses the data on the canvas. */

/** Indexed variable or column, with the members that the text mentions. */
export interface NamedMembers {
  thing: Thing;
  /** Index names, in the order of the key parts. */
  names: readonly string[];
  /** Index of all members. */
  index: string;
  /** Key parts of the members. Undefined for each part that the text does not mention. */
  keys: readonly (string | undefined)[];
  /** Words that match neither the variable or column nor the members. */
  unused: readonly string[];
}

/** Indexed variable or column, and the sets to which its key parts belong. */
type Indexed = Pick<NamedMembers, 'thing' | 'names' | 'index'> & {
  parts: readonly { set: string; title: string; values: Values | undefined }[];
};

const MAX_NEAR = 3;
/** Maximum number of members that are compared with a misspelled name. */
const MAX_COMPARED = 1_000;
/** Words that may occur between the names of variables, members and sets. */
const BETWEEN = ['and', 'or', 'in', 'at', 'on', 'for', 'from', 'by'];

/**
 * Returns the members that the text mentions. If the text names a variable or column, only its members are returned. Otherwise,
 * returns the matching members of all variables. Returns an empty list if the text mentions no members.
 */
export function membersNamed(text: string, things: readonly Thing[], sketch: Sketch): NamedMembers[] {
  const named = thingNamed(text, things.filter(isIndexed));
  const families = things.filter(({ kind }) => kind === 'family');
  const found = [...(named === undefined ? [] : [named]), ...families].flatMap((thing) => {
    const members = membersOf(text, thing, sketch);
    return members === undefined ? [] : [members];
  });
  const [first] = found;
  // A word of the member name may also occur in the name of another variable.
  return first !== undefined && first.thing === named ? [first] : found;
}

/** Explains that a name is unknown. Suggests similar names of cards and members, and lists the formula names of the columns. */
export function whyUnnamed(text: string, things: readonly Thing[], sketch: Sketch): string {
  const names = [...namesOf(things), ...membersOn(things, sketch)];
  const near = nearestNames(text, names, MAX_NEAR).map((name) => quote(name, 60));
  const others = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
  const columns = describeColumns(sketch);
  return `nothing on the canvas is called ${quote(text, 60)}${others}${columns === '' ? '' : `${others === '' ? '.' : ''} ${columns}`}`;
}

/** Returns the members of all variables, up to a limit for each set. */
export function membersOn(things: readonly Thing[], sketch: Sketch): Set<string> {
  const values = things.flatMap((thing) => (thing.kind === 'family' ? (indexedOf(thing, sketch)?.parts ?? []) : []));
  return new Set(values.flatMap((part) => Array.from(part.values ?? []).slice(0, MAX_COMPARED)));
}

const isIndexed = ({ kind }: Thing): boolean => kind === 'family' || kind === 'column' || kind === 'computed';

function membersOf(text: string, thing: Thing, sketch: Sketch): NamedMembers | undefined {
  const indexed = indexedOf(thing, sketch);
  if (indexed === undefined) return undefined;
  const { parts, names, index } = indexed;
  const words: (string | undefined)[] = wordsOf(text);
  claim(words, wordsOf(thing.name));
  const keys = parts.map(({ values }) => (values === undefined ? undefined : claimMember(words, values)));
  if (keys.every((key) => key === undefined)) return undefined;
  const spelled = [
    thing.name,
    thing.card?.label ?? '',
    ...keys.map((key) => key ?? ''),
    ...parts.flatMap(({ set, title }) => [set, title]),
  ];
  return { thing, names, index, keys, unused: unusedWords(text, spelled, BETWEEN) };
}

function indexedOf(thing: Thing, sketch: Sketch): Indexed | undefined {
  const { sets, columns } = sketch.vocabulary;
  const partOf = (set: string, part: number): Indexed['parts'][number] => ({
    set,
    title: titlesOf(set, sketch)[part] ?? set,
    values: sets.get(set)?.parts?.[part],
  });
  if (thing.kind === 'column') {
    const set = columns.get(thing.name)?.[0]?.set;
    const shape = set === undefined ? undefined : sets.get(set);
    if (set === undefined || shape === undefined) return undefined;
    const names = Array.from({ length: shape.arity }, (_, at) => `k${at + 1}`);
    const bound = names.length === 1 ? names.join('') : `(${names.join(', ')})`;
    const parts = names.map((_, at) => partOf(set, at));
    return { thing, names, index: `${bound} in ${set}`, parts };
  }
  const index =
    thing.kind === 'computed'
      ? computedNames(sketch).find(({ name }) => name === thing.name)?.index
      : thing.card && fieldOf<string>(thing.card, 'index');
  const over = index === undefined ? undefined : readIndex(index);
  if (index === undefined || over === undefined || isProblem(over)) return undefined;
  const sources = new Map<string, Indexed['parts'][number]>();
  for (const { names, set } of over.over)
    for (const [part, name] of names.entries()) if (!sources.has(name)) sources.set(name, partOf(set, part));
  return { thing, names: namesOfIndex(over), index, parts: [...sources.values()] };
}

const spellings = new WeakMap<Values, ReadonlyMap<string, string>>();

/** Finds the longest member name in the words, removes it from them, and returns it. */
function claimMember(words: (string | undefined)[], values: Values): string | undefined {
  const known = spellings.get(values) ?? new Map(Array.from(values, (text) => [wordsOf(text).join(' '), text]));
  spellings.set(values, known);
  for (let length = words.length; length > 0; length -= 1)
    for (let from = 0; from + length <= words.length; from += 1) {
      const some = words.slice(from, from + length);
      const member = some.includes(undefined) ? undefined : known.get(some.join(' '));
      if (member === undefined) continue;
      words.fill(undefined, from, from + length);
      return member;
    }
  return undefined;
}

/** Removes the first occurrence of a name from the words. */
function claim(words: (string | undefined)[], name: readonly string[]): void {
  const from = words.findIndex((_, at) => name.every((word, place) => words[at + place] === word));
  if (from >= 0) words.fill(undefined, from, from + name.length);
}

/**
 * Formats a member as `make["oak chair", "2"]`. If key parts are missing, returns `make[p, t]` and an index such as
 * `p in goods, t in weeks where p = "oak chair"`.
 */
export function memberText(members: NamedMembers): { member: string; index?: string } {
  const { names, keys, thing } = members;
  const isWhole = !keys.includes(undefined);
  const parts = isWhole ? keys.map((key) => `"${key}"`) : names;
  return { member: `${thing.name}[${parts.join(', ')}]`, ...(!isWhole && { index: indexOfMembers(members) }) };
}

/** Returns the titles of the key columns of a set. For a set without a file, this is the name of the set. */
function titlesOf(set: string, sketch: Sketch): readonly string[] {
  const card = sketch.of('data').find(({ data }) => data['set'] === set);
  return (card && readData(card).file?.key) ?? [set];
}

/**
 * Returns a condition on the key columns that selects exactly the named members. Returns undefined if a formula cannot contain
 * their names.
 */
export function conditionOn({ thing, keys }: NamedMembers, sketch: Sketch): string | undefined {
  const parts = indexedOf(thing, sketch)?.parts ?? [];
  const conditions = keys.flatMap((key, at) =>
    key === undefined ? [] : [{ name: nameOf(parts[at]?.title ?? ''), key }],
  );
  const isExpressible = conditions.every(({ name, key }) => name !== undefined && !key.includes('"'));
  return isExpressible ? conditions.map(({ name, key }) => `${name} = "${key}"`).join(' and ') : undefined;
}

/**
 * Returns an example member of a column, such as `demand of oak chair, 1`. Prefers the member whose name is most similar to the
 * text.
 */
export function exampleMember(column: Thing, sketch: Sketch, text = ''): string | undefined {
  const parts = indexedOf(column, sketch)?.parts ?? [];
  const key = parts.map(({ values = [] }) => {
    const members = Array.from(values).slice(0, MAX_COMPARED);
    return nearestNames(text, members, 1)[0] ?? members[0];
  });
  return key.length === 0 || key.includes(undefined) ? undefined : `${column.name} of ${key.join(', ')}`;
}

/** Returns the sets to which the key parts of a variable or column belong. */
export const setsOf = (thing: Thing, sketch: Sketch): string[] =>
  (indexedOf(thing, sketch)?.parts ?? []).map(({ set }) => set);

/** Returns the values of a column or of a bound for the members. Returns undefined if they are unknown. */
export const figuresOf = (text: string, members: NamedMembers, sketch: Sketch): number[] | undefined =>
  evaluateFigures(text, parseIndex(indexOfMembers(members)), sketch.vocabulary);

/** Returns the member of a variable with the given key parts. Returns undefined if the index is missing or invalid. */
export function memberOfKeys(thing: Thing, keys: readonly string[], sketch: Sketch): NamedMembers | undefined {
  const indexed = indexedOf(thing, sketch);
  return indexed && { ...indexed, keys, unused: [] };
}

/** Returns an index that contains only the named members. */
function indexOfMembers({ names, index, keys }: NamedMembers): string {
  const at = index.indexOf(' where ');
  const [over, where] = at < 0 ? [index] : [index.slice(0, at), index.slice(at + ' where '.length)];
  const conditions = keys.flatMap((key, part) => (key === undefined ? [] : [`${names[part]} = "${key}"`]));
  return `${over} where ${[...(where === undefined ? [] : [`(${where})`]), ...conditions].join(' and ')}`;
}
