import type { Type } from '@nestjs/common';
import type { Json } from '../../../packages/json/index.js';
import type { Refused } from './refused.js';

/** A JSON schema as OpenAPI 3.1 has it. */
export type Schema = Record<string, unknown>;

/** What a field holds: how a received value becomes the value of the instance, and how it is documented. */
export interface Kind<Value> {
  read(input: Json): Value | Refused;
  readonly schema: Schema;
  /** The class that the schema refers to. */
  readonly model?: Type;
}

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

const declared = new WeakMap<object, Field[]>();

/** Adds a field to the class of a prototype. */
export function declareField(prototype: object, field: Field): void {
  declared.set(prototype, [...(declared.get(prototype) ?? []), field]);
}

/** The fields of a class in the order of declaration, inherited ones first. */
export function fieldsOf(type: Type): Field[] {
  const fields = new Map<string, Field>();
  for (const prototype of lineage(type))
    for (const field of declared.get(prototype) ?? []) fields.set(field.name, field);
  return [...fields.values()];
}

/** The prototypes of a class, its oldest ancestor's first. */
export function lineage(type: Type): object[] {
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
