import type { Type } from '@nestjs/common';
import type { ErrorEntry } from '../errors/errors.js';
import type { JsonObject } from '../../../packages/json/index.js';
import { lineage } from './field-registry.js';

/**
 * A rule over several fields: the entries of what is wrong, with places counted from the object (`['project_id']`, or
 * `[]` for the object itself). `received` is the object as it came, for an entry's `input`.
 */
export type ObjectRule<Value> = (value: Value, received: JsonObject) => ErrorEntry[];

const declared = new WeakMap<object, ObjectRule<never>[]>();

/** Adds a rule to a class; it runs only when every single field is valid. */
export function Rule<Value extends object>(rule: ObjectRule<Value>) {
  return (type: Type<Value>): void => {
    declared.set(type.prototype as object, [rule, ...(declared.get(type.prototype as object) ?? [])]);
  };
}

/** The rules of a class in the order of declaration, inherited ones first. */
export function rulesOf<Value extends object>(type: Type<Value>): ObjectRule<Value>[] {
  return lineage(type).flatMap((prototype) => declared.get(prototype) ?? []) as ObjectRule<Value>[];
}
