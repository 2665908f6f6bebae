import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { Accepted, registerAccepted } from './accepted.js';
import { type Field, fieldsOf } from './field-registry.js';
import { type ObjectRule, rulesOf } from './rule.js';

/** What is known of a class that requests are validated by, worked out once. */
export interface RequestClass<Value> {
  fields: readonly Field[];
  rules: ObjectRule<Value>[];
  /** Whether class-validator's own decorators stand beside the fields. */
  hasOwnConstraints: boolean;
}

const known = new WeakMap<Type, RequestClass<never>>();

/** @throws Error for decorators of class-validator that would do nothing or harm. */
export function requestClass<Value extends object>(type: Type<Value>): RequestClass<Value> {
  let found = known.get(type);
  if (found === undefined) {
    const fields = fieldsOf(type);
    fields.forEach(registerAccepted);
    const constraints = ownConstraints(type);
    for (const constraint of constraints) checkUsable(type, fields, constraint);
    found = { fields, rules: rulesOf(type), hasOwnConstraints: constraints.length > 0 };
    known.set(type, found);
  }
  return found as RequestClass<Value>;
}

/** Whether there is anything to validate by. */
export const isRequestClass = (type: Type): boolean => fieldsOf(type).length > 0 || ownConstraints(type).length > 0;

type Constraint = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const ownConstraints = (type: Type): Constraint[] =>
  getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .filter(({ constraintCls }) => constraintCls !== Accepted);

const AsyncFunction = (async () => {}).constructor;

/**
 * Nothing fills a property without a field. What is nested is validated by its field; class-validator would take the
 * class of it from a key that the client chose. It takes what a constraint promises for a yes.
 */
function checkUsable(
  type: Type,
  fields: Field[],
  { propertyName, type: kind, constraintCls, always }: Constraint,
): void {
  const unusable = (reason: string): Error => new Error(`${type.name}.${propertyName}: ${reason}`);
  if (!fields.some(({ name }) => name === propertyName)) throw unusable('a validated property needs a field');
  if (kind === ValidationTypes.NESTED_VALIDATION || kind === ValidationTypes.PROMISE_VALIDATION)
    throw unusable('objects are validated by their own fields; use @ObjectField or @ObjectArrayField alone');
  const validators = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  if (validators.some(({ async, instance }) => async || instance.validate instanceof AsyncFunction))
    throw unusable('constraints cannot be asynchronous; the service checks what takes time');
  if (always) throw unusable('`always` has no meaning: requests are validated without groups');
}
