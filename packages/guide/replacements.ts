import { isDeepStrictEqual } from 'node:util';
import { describeRange } from '../canvas/index.js';
import { sayDefinition } from './computed-numbers.js';

type Data = Record<string, unknown>;

/**
 * Card fields that hold the content of a statement, by phrase. Each field has a formatter, or the word that precedes it in the
 * text.
 */
const PHRASES: readonly Record<string, string | ((value: unknown) => string)>[] = [
  { sense: '', expression: '', index: 'for ', domain: '', lower: 'from ', upper: 'to ' },
  { zero_or_between: (range) => `0 or ${describeRange(range)}` },
  { file_path: 'file ', members: 'members ', of: 'members of ', where: 'where ', quantity: '', product: '' },
];

/** Returns, as text, the old content that a change in card data replaces. New fields do not replace anything. */
export function replacedBy(old: Data, data: Data): string[] {
  const isReplaced = (key: string): boolean =>
    old[key] !== undefined && data[key] !== undefined && !isDeepStrictEqual(old[key], data[key]);
  if (old['computed'] !== undefined) return replacedDefinitions(old, data);
  const replaced = PHRASES.flatMap(Object.keys).some(isReplaced) ? [textOf(old)] : [];
  return isReplaced('values')
    ? [...replaced, ...replacedFigures(old['values'] as Data, data['values'] as Data)]
    : replaced;
}

/** Formats the replaced definitions of computed names. */
function replacedDefinitions(old: Data, data: Data): string[] {
  const said = ({ computed, index }: Data): string[] =>
    Object.entries((computed as Data | undefined) ?? {}).map(([name, expression]) =>
      sayDefinition({ name, expression: String(expression), ...(typeof index === 'string' && { index }) }),
    );
  const now = said({ ...old, ...data });
  return said(old).filter((one) => !now.includes(one));
}

/** Formats the content of a card without its values, as in `maximize 3x + 2y`. */
const textOf = (data: Data): string =>
  PHRASES.map((phrase) =>
    Object.entries(phrase)
      .filter(([key]) => data[key] != null)
      .map(([key, format]) => (typeof format === 'string' ? `${format}${written(data[key])}` : format(data[key])))
      .join(' '),
  )
    .filter((text) => text !== '')
    .join(', ');

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
