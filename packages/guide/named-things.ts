import { nearestNames, wordsOf } from '../modelling/index.js';
import { fieldOf } from '../canvas/index.js';
import { columnsOf } from './canvas-columns.js';
import { computedNames } from './computed-numbers.js';
import type { Sketch, SketchCard } from './sketch.js';

/** Named part of the model to which questions may refer. */
export interface Thing {
  kind: 'objective' | 'kpi' | 'variable' | 'family' | 'constraint' | 'value' | 'computed' | 'column' | 'set';
  /** Name in formulas, or the label of the card. */
  name: string;
  /** Absent for values, computed names, columns and sets. */
  card?: SketchCard;
}

/** Lists the named parts of the model. If two have the same name, the first takes precedence. */
export function thingsOn(sketch: Sketch): Thing[] {
  const { values, sets } = sketch.vocabulary;
  const ofCards = (type: 'objective' | 'kpi' | 'constraint'): Thing[] =>
    sketch.of(type).map((card) => ({ kind: type, name: card.label, card }));
  const variables = sketch.of('variable').flatMap((card): Thing[] => {
    const name = fieldOf<string>(card, 'name');
    return name === undefined ? [] : [{ kind: card.data['index'] === undefined ? 'variable' : 'family', name, card }];
  });
  return [
    ...variables,
    ...ofCards('objective'),
    ...ofCards('kpi'),
    ...Array.from(values.keys(), (name): Thing => ({ kind: 'value', name })),
    ...computedNames(sketch).map(({ name }): Thing => ({ kind: 'computed', name })),
    ...ofCards('constraint'),
    ...columnsOf(sketch).map(({ name }): Thing => ({ kind: 'column', name })),
    ...Array.from(sets.keys(), (name): Thing => ({ kind: 'set', name })),
  ];
}

/**
 * Returns the part of the model whose name appears in the text. If several names appear, the name with the most words takes
 * precedence, then the first in the list. Ignores case, plurals and punctuation.
 *
 * @param isWhole whether the name must match the whole text
 */
export function thingNamed(text: string, things: readonly Thing[], isWhole = false): Thing | undefined {
  const bySpelling = new Map<string, Thing>();
  for (const thing of things)
    for (const name of [thing.name, thing.card?.label ?? thing.name]) {
      const spelling = wordsOf(name).join(' ');
      if (!bySpelling.has(spelling)) bySpelling.set(spelling, thing);
    }
  const words = wordsOf(text);
  const exact = things.find(({ name }) => name === text.trim());
  if (exact !== undefined) return exact;
  for (let length = words.length; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const thing = bySpelling.get(words.slice(from, from + length).join(' '));
      if (thing !== undefined) return thing;
    }
    if (isWhole) return undefined;
  }
  return undefined;
}

/** Returns the part of the model with a similar name. Returns undefined if there are several or none. */
export function thingNear(text: string, things: readonly Thing[]): Thing | undefined {
  const [near, other] = nearestNames(text, namesOf(things), 2);
  return near !== undefined && other === undefined ? thingNamed(near, things, true) : undefined;
}

/** Returns the names and labels of parts of the model, in order. */
export const namesOf = (things: readonly Thing[]): string[] =>
  things.flatMap(({ name, card }) => (card === undefined || card.label === name ? [name] : [name, card.label]));
