import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { type ErrorEntry, MAX_ENTRIES } from '../../errors/errors.js';
import { hasValidTexts, isJsonObject, isValidText, type Json, toPlain } from '../../../../packages/json/index.js';
import { counted, type Kind, refuse, Rejected, rejectValue, type Schema } from '../kind.js';
import { validateNested } from '../validate-object.js';
import { INVALID_TEXT } from './text.js';

type Plain = Record<string, unknown>;

/** Maximum number of members in an object with arbitrary keys. */
export interface MapBounds {
  maxProperties?: number;
}

/** Field kind for objects with the fields of a class. */
export function objectKind<Value extends object>(model: Type<Value>): Kind<Value> {
  return { schema: { $ref: getSchemaPath(model) }, model, read: (input) => validateNested(model, input) };
}

/** Field kind for arrays whose items have the same kind. */
export function arrayKind<Item>(item: Kind<Item>, { maxItems }: { maxItems?: number }): Kind<Item[]> {
  return {
    schema: { type: 'array', items: item.schema, ...(maxItems !== undefined && { maxItems }) },
    ...(item.model && { model: item.model }),
    read(input) {
      if (!Array.isArray(input)) return refuse('list_type', 'Input should be a valid list', input);
      if (input.length > (maxItems ?? Infinity)) return refuseLength('List', input.length, maxItems, input);
      const problems: ErrorEntry[] = [];
      const items: Item[] = [];
      for (const [index, member] of input.entries()) {
        if (problems.length >= MAX_ENTRIES) break;
        const value = item.read(member);
        if (value instanceof Rejected) problems.push(...value.at(index));
        else items.push(value);
      }
      return problems.length > 0 ? new Rejected(problems) : items;
    },
  };
}

/**
 * Field kind for objects with arbitrary keys whose values have the same kind. Converts them to a `Map` in the order received.
 */
export function mapKind<Item>(item: Kind<Item>, { maxProperties }: MapBounds = {}): Kind<Map<string, Item>> {
  return {
    schema: { type: 'object', additionalProperties: item.schema, ...schemaLimits({ maxProperties }) },
    read(input) {
      if (!isJsonObject(input)) return notAnObject(input);
      if (input.size > (maxProperties ?? Infinity)) return refuseLength('Dictionary', input.size, maxProperties, input);
      const problems: ErrorEntry[] = [];
      const values = new Map<string, Item>();
      for (const [key, member] of input) {
        if (problems.length >= MAX_ENTRIES) break;
        const value = item.read(member);
        if (value instanceof Rejected) problems.push(...value.at(key));
        else values.set(key, value);
      }
      if (problems.length > 0) return new Rejected(problems);
      return Array.from(input.keys()).every(isValidText) ? values : rejectValue(INVALID_TEXT, input);
    },
  };
}

/** Field kind for objects with arbitrary content. Converts them to plain objects. */
export function freeObjectKind({ maxProperties }: MapBounds = {}): Kind<Plain> {
  return {
    schema: { type: 'object', additionalProperties: true, ...schemaLimits({ maxProperties }) },
    read(input) {
      if (!isJsonObject(input)) return notAnObject(input);
      if (input.size > (maxProperties ?? Infinity)) return refuseLength('Dictionary', input.size, maxProperties, input);
      return anyKind.read(input) as Plain | Rejected;
    },
  };
}

/** Field kind for any JSON value. Converts it to plain objects and arrays. */
export const anyKind: Kind<unknown> = {
  schema: {},
  read: (input) => (hasValidTexts(input) ? toPlain(input) : rejectValue(INVALID_TEXT, input)),
};

const schemaLimits = ({ maxProperties }: { maxProperties: number | undefined }): Schema =>
  maxProperties === undefined ? {} : { maxProperties };

function refuseLength(type: 'List' | 'Dictionary', length: number, limit = 0, input: Json): Rejected {
  const msg = `${type} should have at most ${counted(limit, 'item')} after validation, not ${length}`;
  return refuse('too_long', msg, input, { field_type: type, max_length: limit, actual_length: length });
}

const notAnObject = (input: Json): Rejected => refuse('dict_type', 'Input should be a valid dictionary', input);
