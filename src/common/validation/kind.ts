import type { Type } from '@nestjs/common';
import type { Json } from '../../../packages/json/index.js';
import { type ErrorEntry, invalidValue } from '../errors/errors.js';

/** A JSON schema as OpenAPI 3.1 has it. */
export type Schema = Record<string, unknown>;

/** What a field holds: how a received value becomes the value of the instance, and how it is documented. */
export interface Kind<Value> {
  read(input: Json): Value | Refused;
  readonly schema: Schema;
  /** The class that the schema refers to. */
  readonly model?: Type;
}

/** Stands where a value would be that was not accepted, with what is wrong in it; places count from that value. */
export class Refused {
  constructor(private readonly entries: ErrorEntry[]) {}

  /** The entries as seen from outside: behind `place`. */
  at(...place: ErrorEntry['loc']): ErrorEntry[] {
    return this.entries.map((entry) => ({ ...entry, loc: [...place, ...entry.loc] }));
  }

  toString(): string {
    return this.entries.map(({ loc, msg }) => [...loc, msg].join(': ')).join('; ');
  }
}

/** A value refused for one reason. */
export function refuse(type: string, msg: string, input: Json, ctx?: ErrorEntry['ctx']): Refused {
  return new Refused([{ type, loc: [], msg, input, ...(ctx && { ctx }) }]);
}

/** A value refused for a reason of ours, in words without a full stop. */
export const refuseValue = (text: string, input: Json): Refused => new Refused([invalidValue([], text, input)]);

/** `1 character`, `2 characters`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
