import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { JsonObject } from '../../../packages/json/index.js';
import type { ErrorEntry } from '../errors/errors.js';
import { documentation } from './documentation.js';
import type { Kind } from './kind.js';

/** What every kind of field may say beside its own bounds. */
export interface FieldOptions<Value> {
  description?: string;
  example?: unknown;
  /** Null is a value, too. */
  nullable?: boolean;
  /** May be absent; the property is then not there. */
  optional?: boolean;
  /** Used when absent; the field need not be given then. */
  default?: Value | null;
  /** A rule beyond the kind's own: the reason to refuse a value, in words without a full stop. */
  check?: (value: Value) => string | undefined;
  /** Marks a field that the documented interface does not have. */
  extension?: boolean;
}

export interface Field {
  /** The class that declares it. */
  readonly target: Type;
  readonly name: string;
  readonly kind: Kind<unknown>;
  readonly options: FieldOptions<unknown>;
}

/**
 * A rule over several fields: the entries of what is wrong, with places counted from the object (`['project_id']`, or
 * `[]` for the object itself). `received` is the object as it came, for an entry's `input`.
 */
export type ObjectRule<Value> = (value: Value, received: JsonObject) => ErrorEntry[];

/** What classes declare, by their prototypes. */
const fields = new WeakMap<object, Field[]>();
const rules = new WeakMap<object, ObjectRule<never>[]>();

/**
 * Declares, validates and documents a property as a field of the given kind. Decorators of class-validator may stand
 * beside it; they see the converted value when the field has accepted it, and neither null nor what is absent.
 */
export function field<Value>(kind: Kind<Value>, options: FieldOptions<Value>): PropertyDecorator {
  return (prototype, property) => {
    const name = String(property);
    const target = prototype.constructor;
    const declared = { target, name, kind, options } as Field;
    fields.set(prototype, [...(fields.get(prototype) ?? []), declared]);
    ApiProperty(documentation(name, kind, options))(prototype, property);
    // A class that refers to itself is on its way into the document already.
    if (kind.model !== undefined && kind.model !== target) ApiExtraModels(kind.model)(target);
  };
}

/** Adds a rule to a class; it runs only when every single field is valid. */
export function Rule<Value extends object>(rule: ObjectRule<Value>) {
  return (type: Type<Value>): void => {
    rules.set(type.prototype as object, [rule, ...(rules.get(type.prototype as object) ?? [])]);
  };
}

/** The fields of a class in the order of declaration, inherited ones first. */
export function fieldsOf(type: Type): Field[] {
  const found = new Map<string, Field>();
  for (const prototype of lineage(type)) for (const field of fields.get(prototype) ?? []) found.set(field.name, field);
  return [...found.values()];
}

/** The rules of a class in the order of declaration, inherited ones first. */
export function rulesOf<Value extends object>(type: Type<Value>): ObjectRule<Value>[] {
  return lineage(type).flatMap((prototype) => rules.get(prototype) ?? []) as ObjectRule<Value>[];
}

/** The prototypes of a class, its oldest ancestor's first. */
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
