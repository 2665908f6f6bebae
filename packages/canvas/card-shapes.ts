import type { CardContent, Gap } from './card.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { valueOf } from './kinds/fields.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/** Returns the gaps in the fields of a card, in the field order of its kind. */
export function gapsOfShape({ card_type, data }: Content): Gap[] {
  return CARD_KINDS[card_type].fields.flatMap(({ name: field, content, missing, neededFor = () => true }): Gap[] => {
    const value = data[field];
    if (value === undefined) return missing !== undefined && neededFor(data) ? [{ field, ...missing }] : [];
    return content.accepts(value, data)
      ? []
      : [{ field, message: `${field} must be ${content.expects}`, severity: 'blocking' }];
  });
}

/** Returns the value of a known field, or undefined if the value is invalid. */
export const fieldOf = <Value>({ card_type, data }: Content, field: string): Value | undefined =>
  valueOf<Value>(CARD_KINDS[card_type].fields, data, field);

export const hasKnownField = ({ card_type, data }: Content): boolean =>
  CARD_KINDS[card_type].fields.some(({ name: field }) => data[field] !== undefined);
