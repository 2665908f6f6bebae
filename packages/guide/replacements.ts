import { isDeepStrictEqual } from 'node:util';
import { describeRange } from '../canvas/index.js';

type Data = Record<string, unknown>;

/** Card fields that hold the content of a statement, each with the word that precedes it in the text. */
const FIELDS: Record<string, string> = {
  sense: '',
  expression: '',
  index: 'for ',
  domain: '',
  lower: 'from ',
  upper: 'to ',
  zero_or_between: '0 or ',
  file_path: 'file ',
  members: 'members ',
  quantity: '',
  product: '',
};

/** Returns, as text, the old content that a change in card data replaces. New fields do not replace anything. */
export function replacedBy(old: Data, data: Data): string[] {
  const isReplaced = (key: string): boolean =>
    old[key] !== undefined && data[key] !== undefined && !isDeepStrictEqual(old[key], data[key]);
  const replaced = Object.keys(FIELDS).some(isReplaced) ? [textOf(old)] : [];
  return isReplaced('values')
    ? [...replaced, ...replacedFigures(old['values'] as Data, data['values'] as Data)]
    : replaced;
}

/** Formats the content of a card without its values, as in `maximize 3x + 2y`. */
export const textOf = (data: Data): string =>
  Object.entries(FIELDS)
    .flatMap(([key, word]) =>
      data[key] == null ? [] : [`${word}${key === 'zero_or_between' ? describeRange(data[key]) : written(data[key])}`],
    )
    .join(' ');

/** Formats the replaced values, such as `price = 3` or `cost = a 10, b 12`. */
const replacedFigures = (old: Data, values: Data | null): string[] =>
  Object.entries(old).flatMap(([name, figure]) => {
    const now = values?.[name];
    return now === undefined || isDeepStrictEqual(now, figure) ? [] : [`${name} = ${written(figure)}`];
  });

const written = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([member, cell]) => `${member} ${String(cell)}`)
          .join(', ')
      : String(value);
