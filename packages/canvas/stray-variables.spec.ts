import { describe, expect, it } from '@jest/globals';
import type { CardContent } from './card.js';
import { judgeAndDerive } from './derivation.js';

const card = (card_type: CardContent['card_type'], label: string, data: CardContent['data']): CardContent => ({
  id: label,
  card_type,
  label,
  data,
});
const variable = (name: string, data: object = {}) => card('variable', name, { name, unit: 'pieces', ...data });
const MODEL = [
  variable('chairs', { domain: 'integer' }),
  variable('tables', { domain: 'integer' }),
  card('objective', 'profit', { sense: 'maximize', expression: '30 chairs + 50 tables', confirmed: true }),
  card('constraint', 'wood', { expression: 'chairs + 3 tables <= 19', classification: 'hard' }),
];
const gapsOf = (cards: CardContent[]): string[] =>
  judgeAndDerive(cards).judgements.flatMap(({ gaps }) =>
    gaps.flatMap(({ severity, field, message }) => (severity === 'blocking' ? [`${field}: ${message}`] : [])),
  );

describe('strayVariables', () => {
  it.each([
    ['tabels', { upper: 3 }, 'tables'],
    ['chair', { lower: 2 }, 'chairs'],
    ['Tables', { lower: 1, upper: 4 }, 'tables'],
    ['tbles', { lower: 0, upper: 9 }, 'tables'],
  ])('returns a variable that has limits and is spelled almost like another variable: %s', (name, limits, meant) => {
    const cards = [...MODEL, variable(name, limits)];
    const message = `No objective and no other variable depends on ${name}. Did you mean ${meant}?`;
    expect(gapsOf(cards)).toEqual([`name: ${message}`]);
    expect(judgeAndDerive(cards).derived.all_variables_provided).toBe(false);
  });

  it.each<[string, CardContent[]]>([
    ['has a domain', [variable('tabels', { upper: 3, domain: 'continuous' })]],
    ['has no limit', [variable('tabels', { lower: 0 })]],
    ['is not spelled like any other variable', [variable('lamps', { upper: 3 })]],
    [
      'appears with another variable in a constraint',
      [
        variable('tabels', { upper: 3 }),
        card('constraint', 'both', { expression: 'tabels + tables <= 4', classification: 'hard' }),
      ],
    ],
    [
      'appears in an objective',
      [
        card('objective', 'more', { sense: 'maximize', expression: 'tabels', weight: 2 }),
        variable('tabels', { upper: 3 }),
      ],
    ],
  ])('does not return a variable that %s', (_, cards) => {
    expect(gapsOf([...MODEL, ...cards]).filter((gap) => gap.startsWith('name'))).toEqual([]);
  });
});
