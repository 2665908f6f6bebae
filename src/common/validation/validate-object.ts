import type { Type } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { type ErrorEntry, invalidValue, missing } from '../errors/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../packages/json/index.js';
import { FIELD_GROUP } from './accepted.js';
import type { Field } from './field-registry.js';
import { refuse, Refused, refuseValue } from './refused.js';
import { type RequestClass, requestClass } from './request-class.js';

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
