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
import { refuse, Refused, refuseValue } from './kind.js';

/** Whether there is anything to validate by. */
export const isRequestClass = (type: Type): boolean => fieldsOf(type).length > 0 || ownConstraints(type).length > 0;

/**
 * A body, query or path as an instance of its class, or everything that is wrong with it.
 *
 * The fields convert what was received; the instance holds their values and nothing else. class-validator then decides:
 * first the constraint of every field, then its own decorators beside the fields, on the values that were accepted.
 * The rules over several fields come last, when nothing is wrong.
 *
 * @param lacking what the entry of a missing field names as its input
 */
export function validateRequest<Value extends object>(type: Type<Value>, input: Json, lacking: Json): Value | Refused {
  if (!isJsonObject(input)) return notAnObject(input);
  const known = requestClass(type);
  const instance = instantiate(type, known, input, lacking);
  const errors = validate(known, instance);
  return conclude(known, instance, input, toDetails(known, errors, input));
}

/** An object inside a request as an instance of its class, or everything that is wrong with it. */
export function validateNested<Value extends object>(type: Type<Value>, input: Json): Value | Refused {
  const known = requestClass(type);
  // Objects come by the thousand; where there is nothing but fields, class-validator would say the same more slowly:
  // 9 µs for an object of two fields instead of 4 (npm run bench:validation).
  if (known.hasOwnConstraints) return validateRequest(type, input, input);
  if (!isJsonObject(input)) return notAnObject(input);
  const instance = instantiate(type, known, input, input);
  return conclude(known, instance, input, refusals(instance));
}

const notAnObject = (input: Json): Refused =>
  refuse('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from', input);

/** What the fields make of the received values; `Refused` stands in the place of one that they refuse. */
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

function convert({ kind, options }: Field, given: Json | undefined, lacking: Json): unknown {
  if (given === undefined) {
    const { default: value } = options;
    // Requests must not share an object; a clone of anything else would only cost its time.
    if (value !== undefined) return typeof value === 'object' ? structuredClone(value) : value;
    return options.optional === true ? undefined : new Refused([missing([], lacking)]);
  }
  if (given === null && options.nullable === true) return null;
  const value = kind.read(given);
  if (value instanceof Refused) return value;
  const reason = options.check?.(value);
  return reason === undefined ? value : refuseValue(reason, given);
}

/** What class-validator says: of every field, then of its own decorators, which see no refused and no absent value. */
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

/** The entries of all errors, in the order in which the fields are declared. */
function toDetails<Value>({ fields }: RequestClass<Value>, errors: ValidationError[], input: JsonObject): ErrorEntry[] {
  const place = ({ property }: ValidationError): number => fields.findIndex(({ name }) => name === property);
  return errors.sort((a, b) => place(a) - place(b)).flatMap((error) => entriesOf(error, input));
}

/** A refused value has its entries with it; a constraint of class-validator's own says in its message what is wrong. */
function entriesOf({ property, value, constraints = {} }: ValidationError, input: JsonObject): ErrorEntry[] {
  if (value instanceof Refused) return value.at(property);
  // Decorators are applied from the last one to the first.
  const messages = Object.values(constraints).reverse();
  return messages.map((message) => invalidValue([property], message, input.get(property) ?? null));
}

/** The entries of refused values, in the order of the fields. */
function refusals(instance: object): ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  for (const [name, value] of Object.entries(instance)) if (value instanceof Refused) entries.push(...value.at(name));
  return entries;
}

function conclude<Value extends object>(
  { rules }: RequestClass<Value>,
  instance: Value,
  input: JsonObject,
  problems: ErrorEntry[],
): Value | Refused {
  const found = problems.length > 0 ? problems : rules.flatMap((rule) => rule(instance, input));
  return found.length > 0 ? new Refused(found) : instance;
}

/** What is known of a class that requests are validated by, worked out once. */
interface RequestClass<Value> {
  fields: readonly Field[];
  rules: ObjectRule<Value>[];
  /** Whether class-validator's own decorators stand beside the fields. */
  hasOwnConstraints: boolean;
}

const known = new WeakMap<Type, RequestClass<never>>();

/** @throws Error for decorators of class-validator that would do nothing or harm. */
function requestClass<Value extends object>(type: Type<Value>): RequestClass<Value> {
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

/** The class-validator group of the constraint that every field carries, so that it can be asked before all others. */
const FIELD_GROUP = 'field:accepted';

/** The constraint of every field: the field has accepted the value. */
@ValidatorConstraint({ name: 'accepted' })
class Accepted implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return !(value instanceof Refused);
  }

  defaultMessage({ value }: ValidationArguments): string {
    return String(value);
  }
}

const registered = new WeakSet<Field>();

/**
 * Gives the field its constraint, once. Not where the field is declared: class-validator looks through all classes that
 * it knows for every object, and most classes with fields are responses (6 µs more for each request).
 */
function registerAccepted(field: Field): void {
  if (registered.has(field)) return;
  registered.add(field);
  const { target, name } = field;
  registerDecorator({ target, propertyName: name, validator: Accepted, options: { groups: [FIELD_GROUP] } });
}
