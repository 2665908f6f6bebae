import type { Type } from '@nestjs/common';
import type { Json } from '../../../packages/json/index.js';
import { type ErrorEntry, invalidValue } from '../errors/errors.js';

/** JSON schema, as used in OpenAPI 3.1. */
export type Schema = Record<string, unknown>;

/** Field kind. Converts a received value to the value of the property and provides its schema. */
export interface Kind<Value> {
  read(input: Json): Value | Rejected;
  readonly schema: Schema;
  /** Class that the schema refers to. */
  readonly model?: Type;
}

/** Replaces a rejected value and contains its error entries, with locations relative to the value. */
export class Rejected {
  constructor(private readonly entries: ErrorEntry[]) {}

  /** Returns the entries with locations relative to an outer value that contains this value at `place`. */
  at(...place: ErrorEntry['loc']): ErrorEntry[] {
    return this.entries.map((entry) => ({ ...entry, loc: [...place, ...entry.loc] }));
  }

  toString(): string {
    return this.entries.map(({ loc, msg }) => [...loc, msg].join(': ')).join('; ');
  }
}

/** Rejects a value for a single reason. */
export function refuse(type: string, msg: string, input: Json, ctx?: ErrorEntry['ctx']): Rejected {
  return new Rejected([{ type, loc: [], msg, input, ...(ctx && { ctx }) }]);
}

/** Rejects a value because of one of our own rules. `text` is the reason, without a full stop. */
export const rejectValue = (text: string, input: Json): Rejected => new Rejected([invalidValue([], text, input)]);

/** Formats a count: `1 character`, `2 characters`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
