import type { Type } from '@nestjs/common';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { type ErrorEntry, invalidValue, missing } from '../errors/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../json/json.js';
import { type Field, fieldsOf } from './field-registry.js';
import { refuse, Refused, refuseValue } from './refused.js';
import { type ObjectRule, rulesOf } from './rule.js';

/** Name of the class-validator constraint that every field carries: its value was accepted. */
export const ACCEPTED = 'accepted';

/**
 * A body, query or path as an instance of its class, or everything that is wrong with it.
 *
 * The instance holds the converted values of declared fields and nothing else. class-validator then says which of its
 * properties fail, so that its own decorators may stand beside a field. class-transformer has no part: it follows keys
 * that clients choose, and throws on `{"constructor": ...}`.
 *
 * @param lacking what the entry of a missing field names as its input
 */
export function readRequest<Value extends object>(type: Type<Value>, input: Json, lacking: Json): Value | Refused {
  return isJsonObject(input) ? judge(instantiate(type, input, lacking), input) : notAnObject(input);
}

/** An object inside a request as an instance of its class, or everything that is wrong with it. */
export function readObject<Value extends object>(type: Type<Value>, input: Json): Value | Refused {
  return isJsonObject(input) ? judge(instantiate(type, input, input), input) : notAnObject(input);
}

const notAnObject = (input: Json): Refused =>
  refuse('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from', input);

function instantiate<Value extends object>(type: Type<Value>, input: JsonObject, lacking: Json): Value {
  const instance = new type();
  for (const field of planOf(type).fields) {
    const value = readField(field, input.get(field.name), lacking);
    if (value !== undefined) (instance as Record<string, unknown>)[field.name] = value;
  }
  return instance;
}

function readField({ kind, options }: Field, given: Json | undefined, lacking: Json): unknown {
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

function judge<Value extends object>(instance: Value, input: JsonObject): Value | Refused {
  const { fields, otherConstraints } = planOf(instance.constructor as Type<Value>);
  // Objects come by the thousand and class-validator takes 4 µs for each: it is asked only where it knows more.
  if (!otherConstraints) return conclude(instance, input, refusals(instance));
  const place = ({ property }: ValidationError): number => fields.findIndex(({ name }) => name === property);
  const failures = validateSync(instance, { forbidUnknownValues: false }).sort((a, b) => place(a) - place(b));
  return conclude(
    instance,
    input,
    failures.flatMap((failure) => entriesOf(failure, input)),
  );
}

/** The entries of refused fields, in their order. */
function refusals(instance: object): ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  for (const [name, value] of Object.entries(instance)) if (value instanceof Refused) entries.push(...value.at(name));
  return entries;
}

/** A refused field says itself what is wrong; a constraint of class-validator's own says it in its message. */
function entriesOf({ property, value, constraints = {} }: ValidationError, input: JsonObject): ErrorEntry[] {
  if (value instanceof Refused) return value.at(property);
  return Object.values(constraints).map((text) => invalidValue([property], text, input.get(property) ?? null));
}

function conclude<Value extends object>(instance: Value, input: JsonObject, problems: ErrorEntry[]): Value | Refused {
  const { rules } = planOf(instance.constructor as Type<Value>);
  const found = problems.length > 0 ? problems : rules.flatMap((rule) => rule(instance, input));
  return found.length > 0 ? new Refused(found) : instance;
}

/** What is known of a class, worked out once. */
interface Plan<Value> {
  fields: readonly Field[];
  rules: ObjectRule<Value>[];
  /** Whether class-validator decorators stand beside the fields. */
  otherConstraints: boolean;
}

const plans = new WeakMap<Type, Plan<never>>();

function planOf<Value extends object>(type: Type<Value>): Plan<Value> {
  let plan = plans.get(type);
  if (plan === undefined) {
    const constraints = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
    plan = {
      fields: fieldsOf(type),
      rules: rulesOf(type),
      otherConstraints: constraints.some(({ name }) => name !== ACCEPTED),
    };
    plans.set(type, plan);
  }
  return plan as Plan<Value>;
}
