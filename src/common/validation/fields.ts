import type { Type } from '@nestjs/common';
import { field, type FieldOptions } from './field.js';
import { anyKind, arrayKind, freeObjectKind, type MapBounds, mapKind, objectKind } from './kinds/containers.js';
import { dateTimeKind } from './kinds/date-time.js';
import { booleanKind, integerKind, type NumberBounds, numberKind } from './kinds/numbers.js';
import { enumKind, type TextBounds, textKind } from './kinds/text.js';
import { textOrNumberKind } from './kinds/text-or-number.js';

/*
 * Decorators for the properties of requests and responses. Each property needs exactly one decorator. Fields are validated in
 * declaration order. Errors have FastAPI's format. Each field appears in the OpenAPI document. Unknown properties in a request
 * are ignored. Each decorator accepts its own bounds and the common FieldOptions.
 */

type Options<Value, Bounds = unknown> = FieldOptions<Value> & Bounds;

/** String. Bounds are in code points. */
export const StringField = (options: Options<string, TextBounds> = {}): PropertyDecorator =>
  field(textKind(options), options);

/** Integer. `"3"`, `3.0` and `true` are converted. Values beyond 2^53 become the nearest exactly representable integer. */
export const IntegerField = (options: Options<number, NumberBounds> = {}): PropertyDecorator =>
  field(integerKind(options), options);

/** Finite number. Numeric strings are converted. */
export const NumberField = (options: Options<number, NumberBounds> = {}): PropertyDecorator =>
  field(numberKind(options), options);

/** String with bounds, or a finite number. Neither is converted to the other. */
export const TextOrNumberField = (options: Options<string | number, TextBounds> = {}): PropertyDecorator =>
  field(textOrNumberKind(options), options);

/** Array of finite numbers and strings with bounds. */
export const TextOrNumberArrayField = (
  options: Options<(string | number)[], TextBounds & { maxItems?: number }> = {},
): PropertyDecorator => field(arrayKind(textOrNumberKind(options), options), options);

/** Boolean. `1`, `"yes"`, `"off"` and similar values are converted. */
export const BooleanField = (options: Options<boolean> = {}): PropertyDecorator => field(booleanKind, options);

/** String from a fixed set of values. `schemaName` gives it a separate schema in the document. */
export const EnumField = <Value extends string>(
  values: readonly Value[],
  options: Options<Value, { schemaName?: string }> = {},
): PropertyDecorator => field(enumKind(values, options.schemaName), options);

/**
 * Point in time, as a `Date`. Dates and Unix times are converted. The default offset is UTC. Responses have millisecond
 * precision.
 */
export const DateTimeField = (options: Options<Date> = {}): PropertyDecorator => field(dateTimeKind, options);

/** Array of strings. */
export const StringArrayField = (
  options: Options<string[], { maxItems?: number; itemMinLength?: number; itemMaxLength?: number }> = {},
): PropertyDecorator => field(arrayKind(textKind(textBounds(options)), options), options);

/** Object with the fields of a class. The class may be the declaring class itself. */
export const ObjectField = <Value extends object>(
  type: () => Type<Value>,
  options: Options<Value> = {},
): PropertyDecorator => lazily(() => field(objectKind(type()), options));

/** Array of objects with the fields of a class. */
export const ObjectArrayField = <Value extends object>(
  type: () => Type<Value>,
  options: Options<Value[], { maxItems?: number }> = {},
): PropertyDecorator => lazily(() => field(arrayKind(objectKind(type()), options), options));

/** Strings by keys that the client chooses, as a `Map` in the order received. */
export const StringMapField = (options: Options<Map<string, string>, MapBounds> = {}): PropertyDecorator =>
  field(mapKind(textKind({}), options), options);

/** Numbers by keys that the client chooses, as a `Map` in the order received. */
export const NumberMapField = (options: Options<Map<string, number>, MapBounds> = {}): PropertyDecorator =>
  field(mapKind(numberKind({}), options), options);

/** Object with arbitrary content. */
export const FreeObjectField = (options: Options<Record<string, unknown>, MapBounds> = {}): PropertyDecorator =>
  field(freeObjectKind(options), options);

/** Array of objects with arbitrary content. */
export const FreeObjectArrayField = (
  options: Options<Record<string, unknown>[], { maxItems?: number }> = {},
): PropertyDecorator => field(arrayKind(freeObjectKind(), options), options);

export const AnyField = (options: Options<unknown> = {}): PropertyDecorator => field(anyKind, options);

const textBounds = ({
  itemMinLength,
  itemMaxLength,
}: Partial<Record<`item${'Min' | 'Max'}Length`, number>>): TextBounds => ({
  ...(itemMinLength !== undefined && { minLength: itemMinLength }),
  ...(itemMaxLength !== undefined && { maxLength: itemMaxLength }),
});

/** Delays the reference to a class until the class being declared exists. */
const lazily =
  (decorator: () => PropertyDecorator): PropertyDecorator =>
  (prototype, property) =>
    decorator()(prototype, property);
