import type { Card } from './cards';
import type { CardKind, Field, Texts } from './kinds';
import { toNumber } from './entered-numbers';
import {
  figuresOf,
  isEmpty,
  isRange,
  listFrom,
  membersOf,
  problemOfNumbers,
  problemOfTable,
  valuesFrom,
  type ValueTable,
} from './value-tables';

type Data = Card['data'];

/** Name of the form field for the card's label. */
export const LABEL = 'label';

/** Returns the form values of a card as text. Without a card, all values are empty. */
export const textsOf = ({ fields }: CardKind, card: Pick<Card, 'label' | 'data'> = EMPTY_CARD): Texts => ({
  [LABEL]: card.label,
  ...Object.fromEntries(fields.map((field) => [field.name, textOf(field, card.data)])),
});

const EMPTY_CARD = { label: '', data: {} };

/** Returns the reason why a field's text cannot be saved, or undefined if it is valid. */
export function problemOf(field: Field, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (field.table !== undefined) {
    const table = parseTable(field, text);
    return problemOfTable(table) ?? problemOfNumbers(table);
  }
  if (field.type === 'number' && toNumber(text) === undefined) return 'Enter a number, such as 2.5';
  if (field.type === 'range' && parseAmounts(text) === undefined)
    return 'Enter the smallest and the largest amount, such as 20 to 200, or at least 20';
  if (field.name === 'range' && !isRange(text)) return 'Enter two whole numbers, such as 1 to 52';
  if (field.type === 'pairs' && parsePairs(text) === undefined)
    return `Enter a line such as ${field.example} for each name`;
  return undefined;
}

/** Returns the changes to a card's data for the changed fields. Null removes the key of an empty field. */
export function changesOf({ fields }: CardKind, before: Data, texts: Texts, changedNames: readonly string[]): Data {
  const changes: Data = {};
  for (const field of fields) {
    if (!changedNames.includes(field.name) || field.table !== undefined || field.name === 'range') continue;
    changes[field.name] = valueOf(field, texts[field.name] ?? '');
  }
  const isChanged = (...names: string[]): boolean => names.some((name) => changedNames.includes(name));
  const [figures, members] = [tableOf('figures', texts), tableOf('members', texts)];
  if (isChanged('figures', 'members'))
    changes['values'] = valuesFrom(before, {
      figures: isChanged('figures') ? figures : undefined,
      members: isChanged('members') ? members : undefined,
    });
  // If the members of a set come from a file, they stay there even if the card itself defines values for them.
  const isInFile = (texts['file_path'] ?? '') !== '' && before['members'] == null;
  if (isChanged('range') || (isChanged('members') && !isInFile)) {
    const range = texts['range']?.trim() ?? '';
    changes['members'] = range === '' ? listFrom(members) : range;
  }
  return changes;
}

/** Parses the table of a form field. */
export const parseTable = (field: Field, text: string): ValueTable =>
  text === '' ? (field.table === 'figures' ? figuresOf({}) : membersOf({})) : (JSON.parse(text) as ValueTable);

/** Returns the value of a card's field as text. Other programs may have written values of any type. */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses the text of a form field into column names. */
export const parseColumns = (text: string): string[] => (text === '' ? [] : (JSON.parse(text) as string[]));

/** Formats column names as the text of a form field. */
export const textOfColumns = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : JSON.stringify(columns);

function textOf({ name, type, table }: Field, data: Data): string {
  if (table !== undefined) {
    const valueTable = table === 'figures' ? figuresOf(data) : membersOf(data);
    return isEmpty(valueTable) ? '' : JSON.stringify(valueTable);
  }
  if (name === 'range') return Array.isArray(data['members']) ? '' : textOfValue(data['members']);
  const value = data[name];
  if (type === 'flag') return value === false ? '' : textOfValue(value);
  if (type === 'range' && Array.isArray(value)) return textOfRange(value);
  if (type === 'columns')
    return textOfColumns(value === undefined || value === null ? [] : [value].flat().map(textOfValue));
  if (type === 'sets' && Array.isArray(value)) return value.map(textOfValue).join(', ');
  if (type === 'pairs' && typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, text]) => `${key} = ${textOfValue(text)}`)
      .join('\n');
  return textOfValue(value);
}

function valueOf({ type }: Field, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'flag') return trimmed === 'true';
  if (type === 'number' || type === 'amount') return toNumber(trimmed) ?? trimmed;
  if (type === 'range') return parseAmounts(trimmed) ?? trimmed;
  if (type === 'columns') return parseColumns(trimmed);
  if (type === 'pairs') return parsePairs(trimmed) ?? trimmed;
  // The names of key parts, as in `(o, d) in lanes`, are not a list of sets.
  if (type === 'sets' && trimmed.includes(',') && !trimmed.includes('(')) return trimmed.split(/ *, */);
  return trimmed;
}

function tableOf(name: 'figures' | 'members', texts: Texts): ValueTable {
  return parseTable({ name, label: '', table: name }, texts[name] ?? '');
}

/** Formats a range as `20 to 200`, or as `at least 20` if the upper bound of the variable ends it. */
function textOfRange([lower, upper = null]: readonly unknown[]): string {
  return upper === null ? `at least ${textOfValue(lower)}` : `${textOfValue(lower)} to ${textOfValue(upper)}`;
}

/** Parses the text of {@link textOfRange}. Returns undefined for any other text. */
function parseAmounts(text: string): unknown[] | undefined {
  const [, least] = /^\s*at least (.+)$/i.exec(text) ?? [];
  const amounts = least === undefined ? text.split(/ to /i) : [least];
  if (amounts.length !== (least === undefined ? 2 : 1) || amounts.some((amount) => amount.trim() === ''))
    return undefined;
  const values = amounts.map((amount) => toNumber(amount) ?? amount.trim());
  return least === undefined ? values : [...values, null];
}

/** Letters, digits and `_`, without a leading digit. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/** Parses lines such as `cost = Unit cost` with different names. Returns undefined for any other text. */
function parsePairs(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()] as const;
  });
  const isDistinct = new Set(pairs.map(([name]) => name)).size === pairs.length;
  return isDistinct && pairs.every(([name, value]) => NAME.test(name) && value !== '')
    ? Object.fromEntries(pairs)
    : undefined;
}
