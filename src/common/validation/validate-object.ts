import type { Type } from '@nestjs/common';
import {
  getMetadataStorage,
  registerDecorator,
  validateSync,
  type ValidationArguments,
  type ValidationError,
  ValidationTypes,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { isJsonObject, type Json, type JsonObject } from '../../../packages/json/index.js';
import { type ErrorEntry, invalidValue, missing } from '../errors/errors.js';
import { type Field, fieldsOf, type ObjectRule, rulesOf } from './field.js';
import { refuse, Rejected, rejectValue } from './kind.js';

/** Whether a class declares fields or constraints to validate. */
export const isRequestClass = (type: Type): boolean => fieldsOf(type).length > 0 || ownConstraints(type).length > 0;

/**
 * Converts a body, query or path to an instance of its class, or returns all errors in it.
 *
 * The fields convert the received values, and the instance contains only these values. Then class-validator checks each field's
 * constraint, and afterwards its own decorators on the accepted values. Rules over several fields run last, and only if all
 * these checks succeed.
 *
 * @param lacking `input` of the entry for a missing field
 */
export function validateRequest<Value extends object>(type: Type<Value>, input: Json, lacking: Json): Value | Rejected {
  if (!isJsonObject(input)) return notAnObject(input);
  const metadata = requestClass(type);
  const instance = instantiate(type, metadata, input, lacking);
  const errors = validate(metadata, instance);
  return conclude(metadata, instance, input, toDetails(metadata, errors, input));
}

/** Converts an object inside a request to an instance of its class, or returns all errors in it. */
export function validateNested<Value extends object>(type: Type<Value>, input: Json): Value | Rejected {
  const metadata = requestClass(type);
  // Requests may contain thousands of objects. Without class-validator decorators, class-validator would give the same result
  // more slowly: 9 µs instead of 4 for two fields (npm run bench:validation).
  if (metadata.hasOwnConstraints) return validateRequest(type, input, input);
  if (!isJsonObject(input)) return notAnObject(input);
  const instance = instantiate(type, metadata, input, input);
  return conclude(metadata, instance, input, refusals(instance));
}

const notAnObject = (input: Json): Rejected =>
  refuse('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from', input);

/** Creates an instance with the converted values. A rejected value is replaced with a {@link Rejected}. */
function instantiate<Value extends object>(
  type: Type<Value>,
  { fields }: RequestClass<Value>,
  input: JsonObject,
  lacking: Json,
): Value {
  const instance = new type();
  for (const field of fields) {
    const value = convert(field, input.get(field.name), lacking);
    if (value !== undefined) (instance as Record<string, unknown>)[field.name] = value;
  }
  return instance;
}

function convert({ kind, options }: Field, raw: Json | undefined, lacking: Json): unknown {
  if (raw === undefined) {
    const { default: value } = options;
    // Requests must not share a default object. Cloning a primitive would only waste time.
    if (value !== undefined) return typeof value === 'object' ? structuredClone(value) : value;
    return options.optional === true ? undefined : new Rejected([missing([], lacking)]);
  }
  if (raw === null && options.nullable === true) return null;
  const value = kind.read(raw);
  if (value instanceof Rejected) return value;
  const reason = options.check?.(value);
  return reason === undefined ? value : rejectValue(reason, raw);
}

/** Runs class-validator: first on every field, then on its own decorators, which skip rejected and absent values. */
function validate<Value extends object>(
  { hasOwnConstraints }: RequestClass<Value>,
  instance: Value,
): ValidationError[] {
  const refused = validateSync(instance, { groups: [FIELD_GROUP] });
  if (!hasOwnConstraints) return refused;
  const names = new Set(refused.map(({ property }) => property));
  for (const name of names) Reflect.deleteProperty(instance, name);
  const failed = validateSync(instance, { skipMissingProperties: true });
  return [...refused, ...failed.filter(({ property }) => !names.has(property))];
}

/** Returns the entries of all errors in the order of field declaration. */
function toDetails<Value>({ fields }: RequestClass<Value>, errors: ValidationError[], input: JsonObject): ErrorEntry[] {
  const place = ({ property }: ValidationError): number => fields.findIndex(({ name }) => name === property);
  return errors.sort((a, b) => place(a) - place(b)).flatMap((error) => entriesOf(error, input));
}

/**
 * Returns the entries of an error. A rejected value contains its own entries. A class-validator constraint only provides a
 * message.
 */
function entriesOf({ property, value, constraints = {} }: ValidationError, input: JsonObject): ErrorEntry[] {
  if (value instanceof Rejected) return value.at(property);
  // Decorators are applied from last to first.
  const messages = Object.values(constraints).reverse();
  return messages.map((message) => invalidValue([property], message, input.get(property) ?? null));
}

/** Returns the entries of rejected values in the order of the fields. */
function refusals(instance: object): ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  for (const [name, value] of Object.entries(instance)) if (value instanceof Rejected) entries.push(...value.at(name));
  return entries;
}

function conclude<Value extends object>(
  { rules }: RequestClass<Value>,
  instance: Value,
  input: JsonObject,
  problems: ErrorEntry[],
): Value | Rejected {
  const entries = problems.length > 0 ? problems : rules.flatMap((rule) => rule(instance, input));
  return entries.length > 0 ? new Rejected(entries) : instance;
}

/** Cached metadata of a class that validates requests. */
interface RequestClass<Value> {
  fields: readonly Field[];
  rules: ObjectRule<Value>[];
  /** Whether the fields also have class-validator decorators. */
  hasOwnConstraints: boolean;
}

const requestClasses = new WeakMap<Type, RequestClass<never>>();

/** @throws Error for class-validator decorators that would be ineffective or harmful */
function requestClass<Value extends object>(type: Type<Value>): RequestClass<Value> {
  let metadata = requestClasses.get(type);
  if (metadata === undefined) {
    const fields = fieldsOf(type);
    fields.forEach(registerAccepted);
    const constraints = ownConstraints(type);
    for (const constraint of constraints) checkUsable(type, fields, constraint);
    metadata = { fields, rules: rulesOf(type), hasOwnConstraints: constraints.length > 0 };
    requestClasses.set(type, metadata);
  }
  return metadata as RequestClass<Value>;
}

type Constraint = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const ownConstraints = (type: Type): Constraint[] =>
  getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .filter(({ constraintCls }) => constraintCls !== Accepted);

const AsyncFunction = (async () => {}).constructor;

/**
 * Rejects unsupported decorators. A property without a field is never set. Nested objects are validated by their fields,
 * because class-validator would choose their class by a key from the client. It also treats a promise as success.
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
    throw unusable('constraints cannot be asynchronous; run slow checks in the service');
  if (always) throw unusable('`always` has no effect, because requests are validated without groups');
}

/** class-validator group for the constraint that every field has, so that it can be checked before all others. */
const FIELD_GROUP = 'field:accepted';

/** Constraint on every field: the field has accepted the value. */
@ValidatorConstraint({ name: 'accepted' })
class Accepted implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return !(value instanceof Rejected);
  }

  defaultMessage({ value }: ValidationArguments): string {
    return String(value);
  }
}

const registered = new WeakSet<Field>();

/**
 * Registers the field's constraint once. It is not registered at the declaration, because class-validator scans all known classes
 * for every object, and most classes with fields are responses. That would add 6 µs to each request.
 */
function registerAccepted(field: Field): void {
  if (registered.has(field)) return;
  registered.add(field);
  const { target, name } = field;
  registerDecorator({ target, propertyName: name, validator: Accepted, options: { groups: [FIELD_GROUP] } });
}
