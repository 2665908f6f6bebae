import {
  changeableInputs,
  evaluateFigures,
  type Index,
  isProblem,
  listFirst,
  namesOfIndex,
} from '../modelling/index.js';
import { readIndex } from '../canvas/index.js';
import { type ComputedName, computedNames, sayDefinition } from './computed-numbers.js';
import { thingNamed, thingsOn } from './named-things.js';
import { counted, figure, quote } from './quote.js';
import type { Sketch } from './sketch.js';
import type { ResultQuestion } from './statement.js';
import { unusedWords } from './word-coverage.js';

/* Answers questions about computed numbers. They need no run, because a plan does not decide these numbers. */

const MAX_SHOWN = 10;
/** Words in a question about a value that do not belong to a name. */
const OF_VALUE = ['value', 'values', 'in', 'model', 'plan'];

/** Answers a question about a computed name. Returns undefined for other questions, and if a constraint has the same name. */
export function answerComputed(about: ResultQuestion, sketch: Sketch): string | undefined {
  if (about.ask !== 'value' || about.pick !== undefined || computedNames(sketch).length === 0) return undefined;
  const things = thingsOn(sketch);
  const { kind, name = '' } = thingNamed(about.subject, things) ?? {};
  const limits = things.filter((thing) => thing.kind === 'constraint');
  const isAlone = thingNamed(name, limits, true) === undefined;
  return kind === 'computed' && isAlone && unusedWords(about.subject, [name], OF_VALUE).length === 0
    ? describeComputed(name, sketch)
    : undefined;
}

/** Describes a computed name by its definition and, if its data is known, its values. */
export function describeComputed(name: string, sketch: Sketch): string {
  const computed = computedNames(sketch).find((one) => one.name === name);
  if (computed === undefined) return '';
  return `${quote(name, 60)} is computed: ${quote(sayDefinition(computed), 200)}.${describeValues(computed, sketch)}`;
}

function describeValues({ name, index: text }: ComputedName, sketch: Sketch): string {
  const index = text === undefined ? undefined : readIndex(text);
  if (index !== undefined && isProblem(index)) return '';
  const { vocabulary } = sketch;
  const names = index === undefined ? [] : namesOfIndex(index);
  const member = names.length === 0 ? name : `${name}[${names.join(', ')}]`;
  const figures = evaluateFigures(member, index, vocabulary) ?? [];
  const [first] = figures;
  if (first === undefined) return '';
  if (index === undefined) return ` Its value is ${figure(first)}.`;
  const members = membersOf(index, sketch);
  if (members.length === figures.length) {
    const shown = figures.map((value, at) => `${quote(members[at] ?? '', 60)} ${figure(value)}`);
    return ` Its values are ${listFirst(shown, MAX_SHOWN)}.`;
  }
  const [least, most] = [Math.min, Math.max].map((pick) => figure(figures.reduce((one, other) => pick(one, other))));
  return ` It has ${counted(figures.length, 'value')}, from ${least} to ${most}.`;
}

/** Returns the members of an index with a single name and without a condition. Returns an empty list for others. */
function membersOf({ over: [{ names, set }, ...others], where }: Index, sketch: Sketch): string[] {
  if (names.length > 1 || others.length > 0 || where !== undefined) return [];
  return Array.from(sketch.vocabulary.sets.get(set)?.parts?.[0] ?? []);
}

/** Explains that a scenario cannot change a computed name, and names the numbers that it can change. */
export function whyNoChange(name: string, sketch: Sketch): string {
  const inputs = changeableInputs(name, sketch.vocabulary).map((one) => quote(one, 60));
  const called = `${quote(name, 60)} is computed from other numbers`;
  return inputs.length === 0
    ? `${called}: write its definition again to change it`
    : `${called}: change ${listFirst(inputs, MAX_SHOWN)} instead`;
}
