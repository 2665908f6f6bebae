import { createHash } from 'node:crypto';
import type { Card } from './card.entity.js';
import { plainVariables, requirementOf } from './requirement.js';

/** What a solve reads of the cards, by type; nothing else of a card can change its outcome. */
const READ_FIELDS: Partial<Record<Card['card_type'], readonly string[]>> = {
  objective: ['sense', 'expression', 'weight'],
  variable: ['name', 'index', 'domain', 'lower', 'upper', 'free'],
  constraint: ['expression', 'index', 'classification', 'penalty'],
  data: ['set', 'members', 'values'],
};
/** What it reads of a set whose members stand in a file. */
const FILE_FIELDS = ['file_path', 'sheet', 'dialect', 'key', 'column', 'columns', 'default'] as const;

/** Whether cards of a type are part of the model. */
export const makesModel = (card_type: Card['card_type']): boolean =>
  card_type === 'production_requirement' || READ_FIELDS[card_type] !== undefined;

type Content = Pick<Card, 'card_type' | 'data'>;

/**
 * Hash of the model that cards describe, in hex: equal as long as a solve would read the same, whatever the order of
 * the cards and of the keys in them, their labels, descriptions and KPIs.
 *
 * @param variables names of the variables without an index, where these are not all cards of a canvas
 */
export function modelDigest(cards: readonly Content[], variables = plainVariables(cards)): string {
  const parts = cards.map((card) => modelPart(card, variables)).filter((part) => part !== '');
  return createHash('sha256').update(parts.sort().join('\n')).digest('hex');
}

/** What a solve reads of one card, as text that is equal for equal content; empty when that is nothing. */
function modelPart(card: Content, variables: ReadonlySet<string>): string {
  const { card_type, data } = card;
  const required = requirementOf(card, variables);
  if (required !== undefined) return JSON.stringify([card_type, required.expression, required.index ?? null]);
  const known = READ_FIELDS[card_type] ?? [];
  const isSetOfFile = card_type === 'data' && data['set'] != null && data['file_path'] != null;
  const fields = [...known, ...(isSetOfFile ? FILE_FIELDS : [])].filter((field) => data[field] != null);
  return fields.length === 0 ? '' : JSON.stringify([card_type, fields.map((field) => [field, sorted(data[field])])]);
}

/** The value with the keys of its objects in order, as lists of pairs. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const pairs = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return { pairs: pairs.sort(([one], [other]) => (one < other ? -1 : 1)) };
}
