import type { Sketch, SketchCard } from '../sketch.js';
import { without } from '../words.js';
import { readChoice, readFee } from './choices.js';
import { readComparison, readShare } from './comparisons.js';
import { readLimit } from './amount-limits.js';
import { readNeeds } from './needs.js';
import { readRates } from './rates.js';
import { PlannerWords } from './planner-words.js';

/*
 * Sentences of planners: `each chair needs 2 hours of labour`, `make twice as many chairs as tables`. Each reader understands a
 * whole sentence, so that no word is ignored.
 */

/** Statements that a sentence probably means. */
export interface Meaning {
  statements: string[];
  /** Cards with other sentences that the statements include. */
  others?: SketchCard[];
}

const READERS: readonly ((text: string, words: PlannerWords) => Meaning[])[] = [
  readNeeds,
  readRates,
  readShare,
  readComparison,
  readChoice,
  readFee,
  readLimit,
];
const MAX_LENGTH = 300;
const MAX_MEANINGS = 4;

/** Returns the meanings of a sentence, most likely first. */
export function meaningsOf(source: string, sketch: Sketch): Meaning[] {
  if (source.length > MAX_LENGTH) return [];
  const text = without(source.replace(/\s+/g, ' '), ' .!').replace(/^(?:and|also|then|so|but),? /i, '');
  const words = new PlannerWords(sketch);
  for (const read of READERS) {
    const meanings = read(text, words);
    if (meanings.length > 0) return meanings.slice(0, MAX_MEANINGS);
  }
  return [];
}
