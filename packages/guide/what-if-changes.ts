import { type Arithmetic, type Change, changedLimit, fieldOf } from '../canvas/index.js';
import { isProblem, parseFormula, wordsOf } from '../modelling/index.js';
import { columnsOf } from './canvas-columns.js';
import { whyNoChange } from './computed-answers.js';
import { expressionOf, namesBySide, variableNames } from './constraint-sides.js';
import { whyInFormula } from './formula-figures.js';
import { allMembers } from './limits.js';
import {
  conditionOn,
  exampleMember,
  membersNamed,
  memberText,
  type NamedMembers,
  whyUnnamed,
} from './named-members.js';
import { type Thing, thingNamed, thingNear } from './named-things.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';
import type { WantedChange } from './statement.js';
import { unusedWords } from './word-coverage.js';

/* Converts what-if questions in plain words to scenario changes. */

type Side = NonNullable<WantedChange['side']>;

/** `maximum of carts`, `limit on carts`, `lower bound of carts`. */
const BOUND_OF =
  /^(?<bound>(?:upper |lower )?(?:maximum|minimum|max|min|limit|bound|cap|ceiling|floor)|most|least)(?: number| amount)?(?: (?:of|on|for))?(?: the)? (?<rest>.+)$/i;
/** `carts limit`, `paint constraint`. */
const BOUND_BEHIND =
  /^(?<rest>.+) (?<bound>(?:upper |lower )?(?:limit|bound|cap|maximum|minimum|ceiling|floor)|constraint|rule)$/i;
const LOWER = /lower|min|floor|least/i;
const BEFORE_MEMBER = / (?:of|in|for|at|on) (?:the )?/i;

/** Returns the scenario changes for a change in plain words, or the reason why it is not possible. */
export function toChanges(wanted: WantedChange, things: readonly Thing[], sketch: Sketch): Change[] | string {
  const { subject, isOff, isNone } = wanted;
  const inFormula = whyInFormula(wanted, things);
  if (inFormula !== undefined) return inFormula;
  const arithmetic = arithmeticOf(wanted, things, sketch);
  if (typeof arithmetic === 'string') return arithmetic;
  const cells = cellsNamed(wanted, things, sketch);
  if (typeof cells === 'string') return cells;
  if (cells !== undefined && isOff !== true && isNone !== true && wanted.side === undefined)
    return [{ ...cells, ...arithmetic }];
  const { thing, bound, rest, isWhole } = thingOf(subject, things);
  // The name of a member or column may end with a word for a bound, as in `oak chair cap`.
  const texts = isWhole ? [] : [subject, rest];
  const members = texts.map((text) => membersNamed(text, things, sketch)).find(([first]) => first?.unused.length === 0);
  if (members !== undefined)
    return ofMembers(members, wanted, arithmetic, members[0]?.thing.kind === 'column' ? undefined : bound, sketch);
  if (thing === undefined) return whyUnnamed(subject, things, sketch);
  if (thing.kind === 'computed') return whyNoChange(thing.name, sketch);
  const { kind, name } = thing;
  const called = quote(name, 60);
  const unused = unusedWords(rest, [name, thing.card?.label ?? name]);
  if (unused.length > 0) {
    const how = isChangeable(thing)
      ? `A question changes all of ${called}, as in ${quote(`what if ${name} = 100`)}.`
      : whatToChange(thing, things, sketch);
    return `nothing on the canvas is called ${quote(subject, 60)}: I do not understand ${quote(unused.join(' '), 60)}. ${how}`;
  }
  if (isNone === true && (kind === 'variable' || kind === 'family') && bound === undefined)
    return boundsOf(thing, undefined, { to: 0 });
  if (isOff === true || isNone === true)
    return ['constraint', 'objective', 'kpi'].includes(kind)
      ? [{ kind: 'off', target: name }]
      : `${called} is a ${kind === 'family' ? 'variable' : kind}, and only constraints, objectives and KPIs can be left out. ${isChangeable(thing) ? `Give its value, as in ${quote(`what if ${name} = 0`)}.` : otherChange(things, sketch)}`;
  const side = wanted.side ?? (bound === undefined || /constraint|rule/i.test(bound) ? undefined : sideOf(bound));
  switch (kind) {
    case 'value':
      return [{ kind: 'value', target: name, ...arithmetic }];
    case 'column':
      return side === undefined
        ? [{ kind: 'column', target: name, ...arithmetic }]
        : `${called} is a column of the data and has no limit. Change its values, as in ${quote(`what if ${name} rises by 10 %`)}.`;
    case 'constraint': {
      const isOther = side !== undefined && limitOf(thing, sketch) === (side === 'lower' ? 'upper' : 'lower');
      // `the limit of labour` is unambiguous, because the constraint `labour` has a single limit.
      if (isOther && (wanted.side !== undefined || !/limit|bound/i.test(bound ?? '')))
        return `${called} limits its formula only from ${side === 'lower' ? 'above' : 'below'}. Change this limit, as in ${quote(`what if ${name} = 100`)}.`;
      return [{ kind: 'limit', target: name, ...arithmetic }];
    }
    case 'variable':
    case 'family':
      return wanted.side === undefined && side !== undefined
        ? [{ kind: 'bound', target: `${name}.${side}`, ...arithmetic }]
        : boundsOf(thing, side, arithmetic);
    default:
      return whatToChange(thing, things, sketch);
  }
}

const isChangeable = ({ kind }: Thing): boolean => kind !== 'set' && kind !== 'objective' && kind !== 'kpi';

/** Explains that a what-if question cannot change a set or a result of the plan. */
const whatToChange = ({ kind, name }: Thing, things: readonly Thing[], sketch: Sketch): string =>
  `${quote(name, 60)} is ${kind === 'set' ? 'a set' : 'a result of the plan'}. ${otherChange(things, sketch)}`;

/** Suggests a change that a what-if question can make. */
function otherChange(things: readonly Thing[], sketch: Sketch): string {
  const kinds = ['value', 'column', 'constraint', 'variable', 'family'];
  const [first] = kinds.flatMap((one) => things.filter((thing) => thing.kind === one));
  const example = first && (exampleMember(first, sketch) ?? first.name);
  return `Change a value, a limit or a variable instead${example === undefined ? '' : `, as in ${quote(`what if ${example} = 100`)}`}.`;
}

/** Splits text at its first preposition, such as `of` or `in`. */
export function splitAtMember(subject: string): string[] {
  const match = BEFORE_MEMBER.exec(subject);
  return match === null ? [] : [subject.slice(0, match.index), subject.slice(match.index + match[0].length)];
}

const sideOf = (bound: string): Side => (LOWER.test(bound) ? 'lower' : 'upper');

/**
 * Meaning of a subject: the part of the model to which it refers, and whether it consists only of that name. `rest` is the
 * subject without the word for a bound.
 */
interface Subject {
  thing?: Thing;
  bound?: string;
  rest: string;
  isWhole: boolean;
}

export function thingOf(subject: string, things: readonly Thing[]): Subject {
  const whole = thingNamed(subject, things, true);
  if (whole !== undefined) return { thing: whole, rest: subject, isWhole: true };
  const { bound, rest = subject } = (BOUND_OF.exec(subject) ?? BOUND_BEHIND.exec(subject))?.groups ?? {};
  const named = thingNamed(rest, things, true);
  const thing = named ?? thingNear(rest, things) ?? thingNamed(rest, things);
  const isWhole = named !== undefined;
  return { rest, isWhole, ...(thing !== undefined && { thing }), ...(bound !== undefined && { bound }) };
}

/** Returns the change to the named members: an additional limit for a variable, or new cell values for a column. */
function ofMembers(
  [members, other]: readonly NamedMembers[],
  { subject, side: said, isOff, isNone }: WantedChange,
  arithmetic: Arithmetic,
  bound: string | undefined,
  sketch: Sketch,
): Change[] | string {
  if (members === undefined) return [];
  const { thing, keys } = members;
  const called = quote(subject, 60);
  if (other !== undefined)
    return `${called} is a member of ${quote(thing.name, 60)} and of ${quote(other.thing.name, 60)}. Say which one you mean, as in ${quote(`what if ${thing.name} of ${subject} = 5`)}.`;
  if (thing.kind === 'computed') return whyNoChange(thing.name, sketch);
  const side = said ?? (bound === undefined ? undefined : sideOf(bound));
  if (thing.kind === 'column') {
    const cells = side !== undefined || isOff === true || isNone === true ? undefined : cellsOf(members, sketch);
    return cells === undefined
      ? `${quote(thing.name, 60)} is a column of the data. Name one member and its new value, as in ${quote(`what if ${exampleMember(thing, sketch, subject) ?? thing.name} = 100`)}.`
      : [{ ...cells, ...arithmetic }];
  }
  const amount = isOff === true || isNone === true ? 0 : arithmetic.to;
  if (amount === undefined)
    return `${called} is decided by the plan. Give an amount, as in ${quote(`what if ${subject} = 5`)}.`;
  if (keys.some((key) => key?.includes('"') === true)) return `${called} has a quotation mark in its name`;
  const { member, index } = memberText(members);
  const relation = `${member} ${side === undefined ? '=' : side === 'upper' ? '<=' : '>='} ${amount}`;
  return [{ kind: 'add', target: index === undefined ? relation : `${relation} for ${index}` }];
}

/**
 * Returns the constraint to which `no labour` refers. The question is ambiguous, because it may mean that the limit becomes 0
 * or that the limit does not apply.
 */
export function limitOfNone({ subject, isNone }: WantedChange, things: readonly Thing[], sketch: Sketch) {
  const { thing, bound, rest } = thingOf(subject, things);
  const { kind, name = '', card } = thing ?? {};
  if (isNone !== true || kind !== 'constraint' || bound !== undefined || unusedWords(rest, [name]).length > 0)
    return undefined;
  const none = changedLimit(expressionOf(card), { to: 0 }, variableNames(sketch));
  return typeof none === 'string' ? name : undefined;
}

/**
 * Returns a note that a bound on the canvas applies in addition to the limit in the question. Returns undefined for other
 * changes.
 */
export function noteOnBound({ subject, to }: WantedChange, changes: readonly Change[], things: readonly Thing[]) {
  const { thing } = thingOf(subject, things);
  if (changes[0]?.kind !== 'add' || thing === undefined || to === undefined) return undefined;
  const [side] = SIDES.filter((one) => isLooser(thing, one, to));
  if (side === undefined || (thing.kind !== 'variable' && thing.kind !== 'family')) return undefined;
  const { name, card } = thing;
  const holding = `${name} ${side === 'upper' ? '<=' : '>='} ${String(card?.data[side])}`;
  return `The bound ${quote(holding, 60)} on the canvas also holds. To replace it, ask ${quote(`what if the ${side} bound of ${name} is ${to}`)}.`;
}

/**
 * Returns the arithmetic of a change. A name after a number must be a constant, and multiplies the number, as in
 * `budget = 2 wages`.
 */
function arithmeticOf(
  { times, plus, to, unit, factor }: WantedChange,
  things: readonly Thing[],
  sketch: Sketch,
): Arithmetic | string {
  const value = factor === undefined ? undefined : sketch.values.get(thingNamed(factor, things, true)?.name ?? '');
  const behind = value === undefined ? (unit ?? factor) : undefined;
  if (behind !== undefined && thingNamed(behind, things) !== undefined)
    return `${quote(behind, 60)} after the number is a name on the canvas, so I cannot read it as a unit. Write only the number.`;
  return {
    ...(times !== undefined && { times }),
    ...(plus !== undefined && { plus }),
    ...(to !== undefined && { to: Number((to * (value ?? 1)).toPrecision(12)) }),
  };
}

/**
 * Returns the side on which a constraint has its limit. Returns undefined for equations and for constraints with variables on
 * both sides.
 */
function limitOf({ card }: Thing, sketch: Sketch): Side | undefined {
  const formula = parseFormula(expressionOf(card));
  if (isProblem(formula) || formula.relations.length !== 1 || formula.relations[0] === '=') return undefined;
  const isVariable = variableNames(sketch);
  const [left, right] = namesBySide(formula).map((names) => names.some(isVariable));
  if (left === right) return undefined;
  return (formula.relations[0] === '<=') === left ? 'upper' : 'lower';
}

const SIDES = ['lower', 'upper'] as const;

/** Whether a new bound is looser than the bound on the canvas, or cannot be compared with it. */
function isLooser({ card }: Thing, side: Side, figure: number): boolean {
  const bound = card?.data[side];
  return typeof bound === 'number' ? (side === 'upper' ? figure > bound : figure < bound) : typeof bound === 'string';
}

/** Limits a variable, or fixes it by setting both bounds. Never replaces a stricter bound. */
function boundsOf(thing: Thing, side: Side | undefined, arithmetic: Arithmetic): Change[] | string {
  const { name, card } = thing;
  const { to } = arithmetic;
  const sides = side === undefined ? SIDES : [side];
  if (to !== undefined && card !== undefined && sides.some((one) => isLooser(thing, one, to))) {
    const relation = `${name} ${side === undefined ? '=' : side === 'upper' ? '<=' : '>='} ${to}`;
    return [{ kind: 'add', target: allMembers(relation, name, card) }];
  }
  if (to !== undefined) return sides.map((one) => ({ kind: 'bound', target: `${name}.${one}`, ...arithmetic }));
  const hasUpper = card !== undefined && fieldOf(card, 'upper') !== undefined;
  return hasUpper
    ? [{ kind: 'bound', target: `${name}.upper`, ...arithmetic }]
    : `${quote(name, 60)} is decided by the plan and has no upper bound. Give an amount, as in ${quote(`what if ${name} = 5`)}.`;
}

/** Single cell of a column, or all its cells that satisfy a condition. */
type Cells = Pick<Change, 'kind' | 'target' | 'key' | 'where'>;

/** Returns the cells for members of a column. Returns undefined if no condition can select exactly these members. */
function cellsOf(members: NamedMembers, sketch: Sketch): Cells | undefined {
  const target = members.thing.name;
  const key = members.keys.filter((part) => part !== undefined);
  if (key.length === members.keys.length) return { kind: 'cell', target, key };
  const where = conditionOn(members, sketch);
  return where === undefined ? undefined : { kind: 'column', target, where };
}

/**
 * Reads members of a column, such as `price of oak chair` or `demand of table in week 2`. Returns an error message if a member
 * does not exist.
 */
function cellsNamed(
  { subject, to, plus }: WantedChange,
  things: readonly Thing[],
  sketch: Sketch,
): Cells | string | undefined {
  const [before = '', member = ''] = splitAtMember(subject);
  const columns = things.filter(({ kind }) => kind === 'column');
  const column = thingNamed(before, columns, true);
  if (column === undefined) return undefined;
  const set = columnsOf(sketch).find(({ name }) => name === column.name)?.set ?? '';
  const key = keyOf(member, set);
  const { parts = [], arity = 1 } = sketch.vocabulary.sets.get(set) ?? {};
  const spelled = key.map((part, at) => memberIn(part, parts[at]));
  const unknown = key.find((_, at) => spelled[at] === undefined);
  if (unknown === undefined && key.length === arity)
    return { kind: 'cell', target: column.name, key: spelled.filter((part) => part !== undefined) };
  const [members] = membersNamed(subject, [column], sketch);
  if (members?.unused.length === 0) return cellsOf(members, sketch);
  // In `demand for chairs`, `demand` is not necessarily a column. It may be part of another name.
  if (thingNamed(before, things, true) !== column && thingNamed(member, things, true) !== undefined) return undefined;
  const example = `what if ${exampleMember(column, sketch, member) ?? column.name} ${plus === undefined ? `= ${to ?? 100}` : `rises by ${plus}`}`;
  return `${quote(unknown ?? member, 60)} is not a member of ${quote(set, 60)}. Name one of its members, as in ${quote(example)}.`;
}

/** Splits a key into parts and removes quotation marks and set names: `week 2` is the member 2 of `weeks`. */
function keyOf(member: string, set: string): string[] {
  return member.split(/ ?, ?/).map((part) => {
    const bare = part.replace(/^["'“](.*)["'”]$/, '$1').trim();
    const [first = '', ...others] = bare.split(' ');
    return others.length > 0 && wordsOf(first).join() === wordsOf(set).join() ? others.join(' ') : bare;
  });
}

/** Returns a member with the spelling used in its set. Unknown members are returned unchanged. */
function memberIn(part: string, members: Iterable<string> | undefined): string | undefined {
  if (members === undefined) return part;
  const spelling = wordsOf(part).join(' ');
  let similar: string | undefined;
  for (const member of members) {
    if (member === part) return member;
    if (wordsOf(member).join(' ') === spelling) similar ??= member;
  }
  return similar;
}
