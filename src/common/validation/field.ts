import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { JsonObject } from '../../../packages/json/index.js';
import type { ErrorEntry } from '../errors/errors.js';
import { documentation } from './documentation.js';
import type { Kind } from './kind.js';

/** Options for every kind of field, in addition to its bounds. */
export interface FieldOptions<Value> {
  description?: string;
  example?: unknown;
  /** Allows null as a value. */
  nullable?: boolean;
  /** Allows the field to be absent. The property is then absent, too. */
  optional?: boolean;
  /** Value of an absent field. The field is then optional. */
  default?: Value | null;
  /** Additional rule. Returns the reason for rejecting a value, without a full stop. */
  check?: (value: Value) => string | undefined;
  /** Marks a field that is not part of the documented interface. */
  extension?: boolean;
}

export interface Field {
  /** Class that declares the field. */
  readonly target: Type;
  readonly name: string;
  readonly kind: Kind<unknown>;
  readonly options: FieldOptions<unknown>;
}

/**
 * Rule over several fields. Returns the error entries, with locations relative to the object. The location of the object itself
 * is `[]`, and a field's location is, for example, `['project_id']`. `received` is the object as received, for use as the
 * `input` of an entry.
 */
export type ObjectRule<Value> = (value: Value, received: JsonObject) => ErrorEntry[];

/** Declared fields of each class, keyed by its prototype. */
const fields = new WeakMap<object, Field[]>();
const rules = new WeakMap<object, ObjectRule<never>[]>();

/**
 * Declares, validates and documents a property as a field of the given kind. Decorators from class-validator may be added. They
 * receive the converted value of a valid field and skip null and absent values.
 */
export function field<Value>(kind: Kind<Value>, options: FieldOptions<Value>): PropertyDecorator {
  return (prototype, property) => {
    const name = String(property);
    const target = prototype.constructor;
    const declared = { target, name, kind, options } as Field;
    fields.set(prototype, [...(fields.get(prototype) ?? []), declared]);
    ApiProperty(documentation(name, kind, options))(prototype, property);
    // A class that refers to itself is already being added to the document.
    if (kind.model !== undefined && kind.model !== target) ApiExtraModels(kind.model)(target);
  };
}

/** Adds a rule to a class. It runs only if every field is valid. */
export function Rule<Value extends object>(rule: ObjectRule<Value>) {
  return (type: Type<Value>): void => {
    rules.set(type.prototype as object, [rule, ...(rules.get(type.prototype as object) ?? [])]);
  };
}

/** Returns the fields of a class in order of declaration, inherited fields first. */
export function fieldsOf(type: Type): Field[] {
  const byName = new Map<string, Field>();
  for (const prototype of lineage(type)) for (const field of fields.get(prototype) ?? []) byName.set(field.name, field);
  return [...byName.values()];
}

/** Returns the rules of a class in order of declaration, inherited rules first. */
export function rulesOf<Value extends object>(type: Type<Value>): ObjectRule<Value>[] {
  return lineage(type).flatMap((prototype) => rules.get(prototype) ?? []) as ObjectRule<Value>[];
}

/** Returns the prototypes of a class, starting with its oldest ancestor. */
function lineage(type: Type): object[] {
  const prototypes: object[] = [];
  for (
    let prototype = type.prototype as object | null;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    prototypes.unshift(prototype);
  }
  return prototypes;
}
