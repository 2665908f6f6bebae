import { describe, expect, it } from '@jest/globals';
import type { CardContent } from './card.js';
import { judge } from './derivation.js';

const card = (card_type: CardContent['card_type'], label: string, data: CardContent['data']): CardContent => ({
  id: label,
  card_type,
  label,
  data,
});
const gapsOf = (limit: string, slack: object = {}, objective = '30 chairs'): string[] =>
  judge([
    card('variable', 'slack', { name: 'slack', domain: 'continuous', unit: 'pieces', ...slack }),
    card('variable', 'chairs', { name: 'chairs', domain: 'integer', unit: 'pieces' }),
    card('objective', 'profit', { sense: 'maximize', expression: objective, confirmed: true }),
    card('constraint', 'wood', { expression: limit, classification: 'hard' }),
  ])[0]!.gaps.map(({ severity, field, message }) => `${severity} ${field}: ${message}`);

describe('looseVariables', () => {
  it.each([
    'chairs <= slack',
    'chairs - slack <= 19',
    'slack >= chairs',
    '19 + 2 slack >= chairs',
    '19 >= chairs - slack',
  ])('returns a variable that only loosens a limit, and the name of the limit: %s', (limit) => {
    expect(gapsOf(limit)).toEqual([expect.stringContaining('warning name: It is only used to loosen a limit (wood)')]);
  });

  it.each<[string, string, object, string]>([
    ['is confirmed', 'chairs <= slack', { confirmed: true }, '30 chairs'],
    ['has an upper bound', 'chairs <= slack', { upper: 9 }, '30 chairs'],
    ['is binary', 'chairs <= 5 slack', { domain: 'binary' }, '30 chairs'],
    ['has a cost', 'chairs <= slack', {}, '30 chairs - 2 slack'],
    ['tightens a limit', 'chairs + slack <= 9', {}, '30 chairs'],
    ['appears in an equation', 'chairs = slack', {}, '30 chairs'],
    ['appears in a chain', '1 <= chairs + slack <= 9', {}, '30 chairs'],
  ])('does not return a variable that %s', (_, limit, data, objective) => {
    expect(gapsOf(limit, data, objective)).toEqual([]);
  });
});
