import type { Type } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { type ErrorEntry, Invalid } from '../../src/common/errors/errors.js';
import { parseJson } from '../../packages/json/index.js';
import { ValidationPipe } from '../../src/common/validation/validation.pipe.js';

const pipe = new ValidationPipe();

/** Returns the body that a handler with this type receives for a JSON string. */
export const accept = <Body>(type: Type<Body>, json: string): Body =>
  pipe.transform(parseJson(json), { type: 'body', metatype: type }) as Body;

/** Returns the `detail` of the error response to a JSON string. */
export function refuse(type: Type, json: string): ErrorEntry[] {
  try {
    accept(type, json);
  } catch (error) {
    if (error instanceof Invalid) return (JSON.parse(error.body()) as { detail: ErrorEntry[] }).detail;
    throw error;
  }
  throw new Error(`${json} was accepted`);
}

/** Returns a class with a single field named `f`. */
export function holder(decorator: PropertyDecorator): Type<{ f: unknown }> {
  class Holder {
    f!: unknown;
  }
  decorator(Holder.prototype, 'f');
  return Holder;
}

export type Expected = [type: string, msg: string, ctx?: Record<string, unknown>];

/**
 * Tests the values of a field: `accepted` values with their results, and `refused` values with the only entry of their
 * error.
 */
export function checkField(
  decorator: PropertyDecorator,
  accepted: readonly (readonly [json: string, value: unknown])[],
  refused: readonly (readonly [json: string, ...Expected])[],
): void {
  const type = holder(decorator);
  if (accepted.length > 0) {
    it.each(accepted)('accepts %s', (json, value) => expect(accept(type, `{"f":${json}}`).f).toStrictEqual(value));
  }
  it.each(refused.map((row) => ({ json: row[0], type: row[1], msg: row[2], ctx: row[3] })))(
    'rejects $json: $type',
    ({ json, ctx, ...entry }) =>
      expect(refuse(type, `{"f":${json}}`)).toStrictEqual([
        { ...entry, loc: ['body', 'f'], input: JSON.parse(json) as unknown, ...(ctx && { ctx }) },
      ]),
  );
}

export const notString: Expected = ['string_type', 'Input should be a valid string'];
export const invalidText: Expected = [
  'value_error',
  'Value error, text must contain neither U+0000 nor lone surrogates',
  { error: {} },
];
