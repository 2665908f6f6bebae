import type { Question } from '../conversation/index.js';
import { BLANK } from './answers.js';
import { describeColumns } from './canvas-columns.js';
import type { Choice } from './column-choices.js';
import { nearChoices } from './name-choices.js';
import { ask, LATER } from './question-parts.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';
import { type UnknownName, unknownNames } from './unknown-names.js';

/* Asks about unknown names in formulas. */

/** Maximum number of names in a question, and maximum total length of these names. The options repeat the names. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 600;
/** Maximum number of unknown names that are compared with the names on the canvas. */
const MAX_COMPARED = 50;
const HEADER = 'Names';

/** Asks about an unknown name. Misspelled names come first, then decisions, then numbers. */
export function askForNames(sketch: Sketch): Question | undefined {
  const unknown = unknownNames(sketch);
  for (const one of unknown.slice(0, MAX_COMPARED)) {
    const near = nearChoices(one, sketch);
    if (near.length > 0) return askNear(one, near, sketch);
  }
  const decisions = unknown.filter(({ isFigure }) => !isFigure);
  const plain = decisions.filter(({ keys }) => keys === undefined).map(({ name }) => name);
  const family = decisions.find((one) => one.family !== undefined)?.family;
  const figure = unknown.find(({ isFigure }) => isFigure);
  if (plain.length > 0) return askForVariables(shortList(plain));
  if (family !== undefined) return askForFamily(family);
  return figure && askForFigure(figure, sketch);
}

function askNear(unknown: UnknownName, near: readonly Choice[], sketch: Sketch): Question {
  const { name, family, keys, isFigure } = unknown;
  if (isFigure) return askForFigure(unknown, sketch, near);
  const others = family !== undefined ? choicesOfFamily(family) : keys === undefined ? choicesOf(name) : [LATER];
  return ask(
    keys === undefined ? `${name} ${BLANK}` : undefined,
    HEADER,
    `What is ${quote(family?.member ?? name, 80)}? It is not on the canvas, but there is a similar name.`,
    [...near, ...others],
  );
}

function askForVariables(names: readonly string[]): Question {
  const [first = ''] = names;
  const list = names.join(', ');
  const what = names.length === 1 ? 'What is' : 'What are';
  return ask(
    `${list} ${BLANK}`,
    HEADER,
    `${what} ${names.map((name) => quote(name, 40)).join(', ')}? A decision of the plan, or a known value, as in \`${first.slice(0, 40)} = 3\`?`,
    choicesOf(list),
  );
}

function askForFamily(family: NonNullable<UnknownName['family']>): Question {
  const { member, index } = family;
  const set = index.slice(index.indexOf(' in ') + ' in '.length);
  const example = /^[^,]+$/.test(index) ? `, as in \`${member.slice(0, member.indexOf('['))} of ${set}: ...\`` : '';
  return ask(
    `${member} ${BLANK} for ${index}`,
    HEADER,
    `What is ${quote(member, 80)}? A decision for each ${quote(index, 80)}, or a known value${example}?`,
    choicesOfFamily(family),
  );
}

/**
 * Asks for a number. The options do not include variables if a formula of the plan needs the number, because the plan could then
 * choose any value.
 */
function askForFigure(unknown: UnknownName, sketch: Sketch, near: readonly Choice[] = []): Question {
  const { name, keys, over, family, isInput } = unknown;
  const [set, ...others] = [...new Set(over?.map((one) => one.set))];
  const isOfSet = set !== undefined && others.length === 0 && sketch.vocabulary.sets.get(set)?.arity === keys;
  const subject = quote(family?.member ?? name, 80);
  const how = keys === undefined ? `${name} = 100` : isOfSet ? `${name} of ${set}: ...` : undefined;
  const columns = keys === undefined ? '' : describeColumns(sketch, isOfSet ? set : undefined);
  const sentences = [
    `What is ${subject}? A number is needed here, but nothing on the canvas has this name.`,
    ...(how === undefined ? [] : [`Enter it as in ${quote(how)}.`]),
    ...(columns === '' ? [] : [columns]),
  ];
  const pattern = keys === undefined ? `${name} = ${BLANK}` : isOfSet ? `${name} of ${set}: ${BLANK}` : undefined;
  const given: Choice = ['It is a value that I enter', `how do I give ${name}${isOfSet ? ` of ${set}` : ''}`];
  const decision = isInput ? [decisionOf(unknown)] : [];
  return ask(pattern, HEADER, sentences.join(' '), [...near, given, ...decision, LATER]);
}

/** Returns the option that makes a name in an equation a variable. The equation is then no longer a definition. */
const decisionOf = ({ name, family }: UnknownName): Choice => [
  'The plan decides it',
  family === undefined ? `${name} >= 0 continuous` : `${family.member} continuous for ${family.index}`,
];

const choicesOf = (names: string): Choice[] => [
  ['Whole numbers from 0', `${names} >= 0 integer`],
  ['Amounts from 0, fractions too', `${names} >= 0 continuous`],
  ['Yes-or-no decisions', `${names} binary`],
];

const choicesOfFamily = ({ member, index }: NonNullable<UnknownName['family']>): Choice[] => [
  ['Whole numbers from 0', `${member} integer for ${index}`],
  ['Amounts from 0, fractions too', `${member} continuous for ${index}`],
  ['Yes-or-no decisions', `${member} binary for ${index}`],
];

/** Returns the first names that fit into a question. */
function shortList(names: string[]): string[] {
  let characters = 0;
  return names.slice(0, MAX_NAMES).filter(({ length }) => (characters += length + 2) <= MAX_NAME_CHARACTERS);
}
