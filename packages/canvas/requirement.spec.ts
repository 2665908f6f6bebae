import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import type { CardContent } from './card.js';
import { judge, judgeAndDerive } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { requirementOf } from './requirement.js';

const VARIABLES = new Set(['chairs']);
const of = (data: CardContent['data']) => requirementOf(requirement(data), VARIABLES);
let made = 0;
const card = (card_type: CardContent['card_type'], data: CardContent['data']): CardContent => ({
  id: String((made += 1)),
  card_type,
  label: `Card ${made}`,
  data,
});
const requirement = (data: CardContent['data']) => card('production_requirement', data);
const PRODUCTS = card('data', {
  set: 'products',
  members: ['oak chair', 'table'],
  values: { minimum: { 'oak chair': 2, table: 3 }, kind: { 'oak chair': 'a', table: 'b' } },
});
const MAKE = card('variable', { name: 'make', index: 'p in products', domain: 'integer', unit: 'pieces' });
const CHAIRS = card('variable', { name: 'chairs', domain: 'integer', unit: 'pieces' });
/** Returns the gaps of a requirement on a canvas with indexed and plain variables. */
const gapsOf = (data: CardContent['data']): string[] =>
  (judge([requirement(data), PRODUCTS, MAKE, CHAIRS])[0]?.gaps ?? []).map(
    ({ severity, field, message }) => `${severity} ${field}: ${message}`,
  );

describe('a production requirement', () => {
  it.each<[string, CardContent['data'], object | undefined]>([
    ['the constraint in its expression', { expression: 'x >= 2' }, { field: 'expression', expression: 'x >= 2' }],
    [
      'the constraint in its expression and index, regardless of its other fields',
      { expression: 'make[p] >= 2', index: 'p in products', description: 'x >= 3', quantity: 4, product: 'chairs' },
      { field: 'expression', expression: 'make[p] >= 2', index: 'p in products' },
    ],
    ['an expression without a relation', { expression: 'x' }, { field: 'expression', expression: 'x' }],
    ['the constraint in its description', { description: ' x >= 2 ' }, { field: 'description', expression: 'x >= 2' }],
    [
      'the constraint and index in its description',
      { description: 'make[p] >= minimum[p] for p in products where minimum[p] > 0', quantity: 1 },
      { field: 'description', expression: 'make[p] >= minimum[p]', index: 'p in products where minimum[p] > 0' },
    ],
    [
      'the quantity of a variable',
      { quantity: 10, product: ' chairs ', description: '10 chairs' },
      { field: 'product', expression: 'chairs >= 10' },
    ],
    ['a negative quantity', { quantity: -2.5, product: 'chairs' }, { field: 'product', expression: 'chairs >= -2.5' }],
    ['no constraint from a quantity without a product', { quantity: 10, description: 'chairs' }, undefined],
    ['no constraint from a quantity of an unknown product', { quantity: 10, product: 'Chairs' }, undefined],
    ['no constraint from a product without a quantity', { product: 'chairs' }, undefined],
    ['no constraint from plain text', { description: 'at least 10 chairs' }, undefined],
    ['no constraint from plain text with a relation sign', { description: 'deliver > 10 t to the north' }, undefined],
    ['no constraint from a formula without a relation', { description: 'chairs' }, undefined],
    [
      'no constraint from a description with an invalid index',
      { description: 'x >= 2 for p in products where' },
      undefined,
    ],
    ['no constraint from a description that is too long', { description: `x >= ${'1'.repeat(2_000)}` }, undefined],
    ['no constraint if its expression is not a string', { expression: 3, quantity: 10, product: 'chairs' }, undefined],
  ])('yields %s', (_, data, expected) => expect(of(data)).toEqual(expected));

  it('is not read from cards of other types', () => {
    expect(requirementOf(card('constraint', { expression: 'x >= 2' }), VARIABLES)).toBeUndefined();
  });

  it.each<[string, CardContent['data'], string[]]>([
    ['nothing if its expression is a relation', { expression: 'make[p] >= minimum[p]', index: 'p in products' }, []],
    ['nothing if its description is a relation', { description: 'make[p] >= minimum[p] for p in products' }, []],
    ['nothing if it has a quantity of a variable', { quantity: 10, product: 'chairs' }, []],
    ['nothing if its quantity is 0', { description: 'Nothing', quantity: 0 }, []],
    [
      'that a quantity is missing',
      { description: 'Some chairs', product: 'chairs' },
      ['warning quantity: The quantity is missing'],
    ],
    [
      'that a product is missing',
      { description: 'ten', quantity: 10 },
      [
        'warning product: This does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
      ],
    ],
    [
      'that no variable has the name of its product',
      { description: '10 chairs a week', quantity: 10, product: 'chairs a week' },
      [
        'blocking product: No variable is called chairs a week, so this does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
      ],
    ],
    [
      'that its product is a variable with an index',
      { description: '12 of all', quantity: 12, product: 'make' },
      [
        'blocking product: make has many members, so this does not constrain the plan: write a relation such as `sum p in products: make[p] >= 12`',
      ],
    ],
    ...[
      'at least 10 chairs',
      'no fewer than ten Chairs',
      'a dozen oak chairs a week',
      'more than the minimum of each product',
      'not above 4 of make',
    ].map((description): [string, CardContent['data'], string[]] => [
      `that a plan ignores its text "${description}"`,
      { description },
      [
        'warning quantity: The quantity is missing',
        'blocking product: This does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
      ],
    ]),
    ...['Some chairs', 'ask 3 people', 'Order 12 of Ada', 'at least 10 sofas'].map(
      (description): [string, CardContent['data'], string[]] => [
        `that its text "${description}" has no effect`,
        { description },
        [
          'warning quantity: The quantity is missing',
          'warning product: This does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
        ],
      ],
    ),
    ['that its expression is not a string', { expression: 3 }, ['blocking expression: expression must be a text']],
    [
      'that its expression is not a relation',
      { expression: 'chairs + 2' },
      ['blocking expression: The formula needs <=, >= or ='],
    ],
    [
      'that its expression cannot be parsed',
      { expression: 'chairs >= 2 +' },
      ['blocking expression: The formula ends too early'],
    ],
    [
      'that its expression misuses a name',
      { expression: '2 make >= 3' },
      ['blocking expression: make is indexed by p: write `make[p]`'],
    ],
    [
      'that its expression calculates with text',
      { expression: 'make[p] >= kind[p]', index: 'p in products' },
      [
        'blocking expression: kind contains texts, so you cannot calculate with it: compare it in a condition, as in `where kind[...] = "..."` (at character 12: kind[p])',
      ],
    ],
    [
      'the problem in the relation in its description',
      { description: 'chairs * chairs >= 2' },
      [
        'blocking description: It is not linear: the variables chairs and chairs are multiplied, and neither is a yes-or-no variable',
      ],
    ],
    [
      'the problem in its index',
      { expression: 'make[p] >= 2', index: 'p in goods' },
      ['blocking index: No set is called goods: define it, as in `goods: a, b, c` (at character 1: p in goods)'],
    ],
    [
      'names that are not on the canvas',
      { expression: 'tables >= 2' },
      ['warning expression: No variable or value on the canvas is called tables'],
    ],
  ])('makes judge report %s', (_, data, expected) => expect(gapsOf(data)).toEqual(expected));

  it('makes all_variables_provided false if it contains an unknown name', () => {
    const flag = (data: CardContent['data']) =>
      judgeAndDerive([requirement(data), CHAIRS]).derived.all_variables_provided;
    expect([flag({ expression: 'tables >= 2' }), flag({ expression: 'chairs >= 2' })]).toEqual([false, true]);
  });

  it('changes the digest of a model only through its constraint', () => {
    const digest = (data: CardContent['data'], ...others: CardContent[]) =>
      modelDigest([CHAIRS, requirement(data), ...others]);
    const without = modelDigest([CHAIRS]);
    for (const words of [
      { description: 'many chairs' },
      { description: 'Nothing', quantity: 0 },
      { description: '10 tables', quantity: 10, product: 'tables' },
      { quantity: 10, unit: 'pieces' },
    ])
      expect(digest(words)).toBe(without);
    const ten = digest({ quantity: 10, product: 'chairs', description: '10 chairs' });
    expect(ten).toBe(digest({ quantity: 10, product: 'chairs', description: 'Ten for Ada', unit: 'pieces' }));
    expect(digest({ description: 'chairs >= 11' })).toBe(digest({ expression: 'chairs >= 11' }));
    const others = [
      digest({ quantity: 11, product: 'chairs' }),
      digest({ expression: 'chairs >= 11' }),
      digest({ expression: 'make[p] >= 11', index: 'p in products' }),
      digest({ expression: 'make[p] >= 11', index: 'p in goods' }),
    ];
    // The first two requirements in `others` are equivalent and have the same digest.
    expect(new Set([without, ten, ...others]).size).toBe(others.length + 1);
  });

  it('affects the digest only if its product is a variable', () => {
    const ten = requirement({ quantity: 10, product: 'chairs' });
    expect(modelDigest([ten], new Set(['chairs']))).not.toBe(modelDigest([], new Set(['chairs'])));
    expect(modelDigest([ten], new Set())).toBe(modelDigest([]));
  });

  it('is checked quickly even if the canvas has 500 long requirements', () => {
    const long = (at: number) => requirement({ description: `n${at}${'+a'.repeat(950)} >= 1` });
    const cards = Array.from({ length: 500 }, (_, at) => long(at));
    judgeAndDerive(cards);
    expect(cpuMs(() => judgeAndDerive(cards))).toBeLessThan(300);
  });
});
