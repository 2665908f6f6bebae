import type { Type } from '@nestjs/common';
import { field, type FieldOptions } from './field.js';
import { anyKind, arrayKind, freeObjectKind, type MapBounds, mapKind, objectKind } from './kinds/containers.js';
import { dateTimeKind } from './kinds/date-time.js';
import { booleanKind, integerKind, type NumberBounds, numberKind } from './kinds/numbers.js';
import { enumKind, type TextBounds, textKind } from './kinds/text.js';
import { textOrNumberKind } from './kinds/text-or-number.js';

/*
 * One decorator per property says what it holds, for requests and responses alike: requests are validated by it (in
 * the order of declaration, with FastAPI's error entries), and the OpenAPI document shows it. Unknown properties of a
 * request are ignored. Each takes its own bounds and the common options of FieldOptions.
 */

type Options<Value, Bounds = unknown> = FieldOptions<Value> & Bounds;

/** Text; bounds in code points. */
export const StringField = (options: Options<string, TextBounds> = {}): PropertyDecorator =>
  field(textKind(options), options);

/** An integer; `"3"`, `3.0` and `true` are taken as one. Beyond 2^53 it becomes the nearest that a number holds exactly. */
export const IntegerField = (options: Options<number, NumberBounds> = {}): PropertyDecorator =>
  field(integerKind(options), options);

/** A finite number; text that is one is taken as one. */
export const NumberField = (options: Options<number, NumberBounds> = {}): PropertyDecorator =>
  field(numberKind(options), options);

/** Text with its bounds, or a finite number; neither is converted into the other. */
export const TextOrNumberField = (options: Options<string | number, TextBounds> = {}): PropertyDecorator =>
  field(textOrNumberKind(options), options);

/** An array of such texts and numbers. */
export const TextOrNumberArrayField = (
  options: Options<(string | number)[], TextBounds & { maxItems?: number }> = {},
): PropertyDecorator => field(arrayKind(textOrNumberKind(options), options), options);

/** A boolean; `1`, `"yes"`, `"off"` and their like are taken as one. */
export const BooleanField = (options: Options<boolean> = {}): PropertyDecorator => field(booleanKind, options);

/** One of a few texts; `schemaName` gives it a schema of its own in the document. */
export const EnumField = <Value extends string>(
  values: readonly Value[],
  options: Options<Value, { schemaName?: string }> = {},
): PropertyDecorator => field(enumKind(values, options.schemaName), options);

/** A moment as `Date`; dates and Unix times are taken as one, without an offset it is UTC. Answers show milliseconds. */
export const DateTimeField = (options: Options<Date> = {}): PropertyDecorator => field(dateTimeKind, options);

/** An array of texts. */
export const StringArrayField = (
  options: Options<string[], { maxItems?: number; itemMinLength?: number; itemMaxLength?: number }> = {},
): PropertyDecorator => field(arrayKind(textKind(textBounds(options)), options), options);

/** An object with the fields of a class, which may be the very class that is being declared. */
export const ObjectField = <Value extends object>(
  type: () => Type<Value>,
  options: Options<Value> = {},
): PropertyDecorator => lazily(() => field(objectKind(type()), options));

/** An array of objects with the fields of a class. */
export const ObjectArrayField = <Value extends object>(
  type: () => Type<Value>,
  options: Options<Value[], { maxItems?: number }> = {},
): PropertyDecorator => lazily(() => field(arrayKind(objectKind(type()), options), options));

/** Texts by keys of the client's choice: a `Map` in the order received. */
export const StringMapField = (options: Options<Map<string, string>, MapBounds> = {}): PropertyDecorator =>
  field(mapKind(textKind({}), options), options);

/** Numbers by keys of the client's choice: a `Map` in the order received. */
export const NumberMapField = (options: Options<Map<string, number>, MapBounds> = {}): PropertyDecorator =>
  field(mapKind(numberKind({}), options), options);

/** An object of any content. */
export const FreeObjectField = (options: Options<Record<string, unknown>, MapBounds> = {}): PropertyDecorator =>
  field(freeObjectKind(options), options);

/** An array of objects of any content. */
export const FreeObjectArrayField = (
  options: Options<Record<string, unknown>[], { maxItems?: number }> = {},
): PropertyDecorator => field(arrayKind(freeObjectKind(), options), options);

/** Any JSON value. */
export const AnyField = (options: Options<unknown> = {}): PropertyDecorator => field(anyKind, options);

const textBounds = ({
  itemMinLength,
  itemMaxLength,
}: Partial<Record<`item${'Min' | 'Max'}Length`, number>>): TextBounds => ({
  ...(itemMinLength !== undefined && { minLength: itemMinLength }),
  ...(itemMaxLength !== undefined && { maxLength: itemMaxLength }),
});

/** Puts off naming a class until the one being declared is there. */
const lazily =
  (decorator: () => PropertyDecorator): PropertyDecorator =>
  (prototype, property) =>
    decorator()(prototype, property);
