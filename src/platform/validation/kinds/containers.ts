import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { ErrorEntry } from '../../errors/errors.js';
import { isJsonObject, isStorableJson, type Json, toPlain } from '../../json/json.js';
import { isStorable } from '../../json/text.js';
import type { Kind } from '../field-registry.js';
import { readObject } from '../read-object.js';
import { counted, refuse, Refused, refuseValue } from '../refused.js';
import { UNSTORABLE } from './text.js';

type Plain = Record<string, unknown>;

/** Most entries for one array or map: more than anybody reads, and few enough for an answer of bounded size. */
const MAX_ENTRIES = 10_000;

/** An object with the fields of a class. */
export function objectKind<Value extends object>(model: Type<Value>): Kind<Value> {
  return { schema: { $ref: getSchemaPath(model) }, model, read: (input) => readObject(model, input) };
}

/** An array of values of one kind. */
export function arrayKind<Item>(item: Kind<Item>, { maxItems }: { maxItems?: number }): Kind<Item[]> {
  return {
    schema: { type: 'array', items: item.schema, ...(maxItems !== undefined && { maxItems }) },
    ...(item.model && { model: item.model }),
    read(input) {
      if (!Array.isArray(input)) return refuse('list_type', 'Input should be a valid list', input);
      if (maxItems !== undefined && input.length > maxItems) {
        const msg = `List should have at most ${counted(maxItems, 'item')} after validation, not ${input.length}`;
        return refuse('too_long', msg, input, {
          field_type: 'List',
          max_length: maxItems,
          actual_length: input.length,
        });
      }
      const problems: ErrorEntry[] = [];
      const items: Item[] = [];
      for (const [index, member] of input.entries()) {
        if (problems.length >= MAX_ENTRIES) break;
        const value = item.read(member);
        if (value instanceof Refused) problems.push(...value.at(index));
        else items.push(value);
      }
      return problems.length > 0 ? new Refused(problems) : items;
    },
  };
}

/** An object of any keys with values of one kind, as a map in the order received. */
export function mapKind<Item>(item: Kind<Item>): Kind<Map<string, Item>> {
  return {
    schema: { type: 'object', additionalProperties: item.schema },
    read(input) {
      if (!isJsonObject(input)) return notAnObject(input);
      const problems: ErrorEntry[] = [];
      const values = new Map<string, Item>();
      for (const [key, member] of input) {
        if (problems.length >= MAX_ENTRIES) break;
        const value = item.read(member);
        if (value instanceof Refused) problems.push(...value.at(key));
        else values.set(key, value);
      }
      if (problems.length > 0) return new Refused(problems);
      return Array.from(input.keys()).every(isStorable) ? values : refuseValue(UNSTORABLE, input);
    },
  };
}

/** An object of any content, handed over as a plain one. */
export const freeObjectKind: Kind<Plain> = {
  schema: { type: 'object', additionalProperties: true },
  read: (input) => (isJsonObject(input) ? (anyKind.read(input) as Plain | Refused) : notAnObject(input)),
};

/** Any JSON value, handed over as plain objects and arrays. */
export const anyKind: Kind<unknown> = {
  schema: {},
  read: (input) => (isStorableJson(input) ? toPlain(input) : refuseValue(UNSTORABLE, input)),
};

const notAnObject = (input: Json): Refused => refuse('dict_type', 'Input should be a valid dictionary', input);
