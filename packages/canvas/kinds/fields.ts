import { isName } from '../../modelling/index.js';
import type { CardContent, Gap } from '../card.js';

/** Content that a field of `data` accepts. `expects` completes "must be ...". */
export interface Content {
  expects: string;
  accepts: (value: unknown, data: CardContent['data']) => boolean;
}

/** Known field of `data`. */
export interface CardField {
  name: string;
  content: Content;
  /** Gap that is reported if the field is missing. Absent for optional fields. */
  missing?: Pick<Gap, 'severity' | 'message'>;
  /** Returns whether the field is needed for the given data. If absent, the field is always needed. */
  neededFor?: (data: CardContent['data']) => boolean;
}

export const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
export const text: Content = { expects: 'a text', accepts: isText };
export const number: Content = { expects: 'a number', accepts: (value) => Number.isFinite(value) };
export const positive: Content = {
  expects: 'a number above 0',
  accepts: (value) => Number.isFinite(value) && (value as number) > 0,
};
export const flag: Content = { expects: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const name: Content = {
  expects: 'letters, digits and _ and begin with a letter',
  accepts: (value) => typeof value === 'string' && isName(value),
};
export const oneOf = (...values: string[]): Content => ({
  expects: values.map((value) => `"${value}"`).join(' or '),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

export const blocking = (message: string): CardField['missing'] => ({ severity: 'blocking', message });
export const warning = (message: string): CardField['missing'] => ({ severity: 'warning', message });
export const info = (message: string): CardField['missing'] => ({ severity: 'info', message });

/** Creates a gap for a field. */
export const gap = (field: string, message: string, severity: Gap['severity'] = 'blocking'): Gap => ({
  field,
  message,
  severity,
});

/** Returns the value of a known field, or undefined if the value is invalid. */
export function valueOf<Value>(
  fields: readonly CardField[],
  data: CardContent['data'],
  field: string,
): Value | undefined {
  const cardField = fields.find(({ name: candidate }) => candidate === field);
  return cardField?.content.accepts(data[field], data) === true ? (data[field] as Value) : undefined;
}
