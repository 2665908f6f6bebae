import { firstTexts, quotedList } from './quoted-texts.js';
import { type MissingTexts, textsMissingIn, type Values } from './values.js';
import type { ColumnShape, Vocabulary } from './vocabulary.js';

/** Key part of a set. */
export interface KeyPart {
  set: string;
  part: number;
}

/** Known values in the key parts and columns of a canvas. */
export class KnownValues {
  constructor(private readonly vocabulary: Vocabulary) {}

  of({ set, part }: KeyPart): Values | undefined {
    return this.vocabulary.sets.get(set)?.parts?.[part];
  }

  /** Returns the values of the set's other key parts. */
  besides({ set, part }: KeyPart): Values[] {
    const parts = this.vocabulary.sets.get(set)?.parts ?? [];
    return parts.flatMap((values, at) => (at === part || values === undefined ? [] : [values]));
  }

  /** Returns the key parts that a family's keys come from. */
  partsOfFamily(name: string): KeyPart[] {
    const index = this.vocabulary.families.get(name)?.index;
    const sources = new Map<string, KeyPart>();
    for (const { names, set } of index?.over ?? [])
      for (const [part, one] of names.entries()) if (!sources.has(one)) sources.set(one, { set, part });
    return [...sources.values()];
  }

  /** Returns the minimum and maximum of a column. Unknown if missing values have a default. */
  rangeOf({ fallback, range }: ColumnShape): ColumnShape['range'] {
    return fallback !== undefined ? undefined : range;
  }

  /** Returns, for each key part, the strings that are missing from the other key part. */
  missingBetweenParts(one: KeyPart, other: KeyPart): [MissingTexts | undefined, MissingTexts | undefined] {
    const [values, others] = [this.of(one), this.of(other)];
    return values === undefined || others === undefined ? [undefined, undefined] : this.missingBetween(values, others);
  }

  missingBetween(one: Values, other: Values): [MissingTexts | undefined, MissingTexts | undefined] {
    const budget = this.vocabulary.budget ?? { remaining: Infinity };
    return [textsMissingIn(one, other, budget), textsMissingIn(other, one, budget)];
  }

  /** Quotes the first missing strings, each with the most similar string from the other key part. */
  quoted(missing: MissingTexts, other: KeyPart, { texts }: MissingTexts): string {
    return quotedList(missing, [...texts, ...firstTexts(this.of(other) ?? [])]);
  }
}
