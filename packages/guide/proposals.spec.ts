import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { exampleFor, proposalsFor } from './proposals.js';
import { Sketch } from './sketch.js';

async function sketchOf(...texts: string[]): Promise<Sketch> {
  const room = new Room();
  for (const text of texts) await room.say(text);
  return new Sketch(room.cards);
}

const PRODUCTS =
  'products: chair, table; weeks: 1 to 3; demand of products: chair 5, table 8; labour of products: chair 2, table 3; make[p] integer for p in products; store[p, t] integer for p in products, t in weeks';

describe('a proposal', () => {
  it.each<[string, string[]]>([
    ['make of every product at most demand', ['make[p] <= demand[p] for p in products']],
    ['Demand: make of each product should not exceed its demand', ['Demand: make[p] <= demand[p] for p in products']],
    ['make per product at least 60 % of demand', ['make[p] >= 0.6 * demand[p] for p in products']],
    [
      'make should be no more than demand',
      ['make[p] <= demand[p] for p in products', 'sum p in products: make[p] <= sum i in products: demand[i]'],
    ],
    ['total make no more than 40', ['sum p in products: make[p] <= 40']],
    ['make at most 40', ['make[p] <= 40 for p in products', 'sum p in products: make[p] <= 40']],
    ['store per product must not exceed 100 pieces', ['sum t in weeks: store[p, t] <= 100 for p in products']],
    ['store of every product in all weeks at least 5', ['store[p, t] >= 5 for p in products, t in weeks']],
    ['no product may exceed its demand', ['make[p] <= demand[p] for p in products']],
    ['Cap: no product can be above its demand', ['Cap: make[p] <= demand[p] for p in products']],
    ['no product may fall below its demand', ['make[p] >= demand[p] for p in products']],
    ['no product may not exceed its demand', []],
    ['no product may be exactly its demand', []],
    ['make at most 40 in total', ['sum p in products: make[p] <= 40']],
    ['make in week 2 at most 40', []],
    ['we have 40 hours of labour', ['labour: sum p in products: labour[p] * make[p] <= 40', 'labour = 40']],
  ])('contains the likely meanings of %j', async (text, expected) => {
    expect(proposalsFor(text, await sketchOf(PRODUCTS))).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['chairs and tables together at most 15', ['chairs + tables <= 15']],
    ['chairs should be at least 25% of tables', ['chairs >= 0.25 * tables']],
    ['we make at most 10 chairs', ['chairs <= 10']],
    ['chairs and tables together less than 15', ['chairs + tables < 15']],
    ['chairs and tables together no less than 15', ['chairs + tables >= 15']],
    ['chairs and tables should exceed 15', ['chairs + tables > 15']],
    ['chairs and tables should not be over 15', ['chairs + tables <= 15']],
    ['chairs must be above tables', ['chairs > tables']],
    ['chairs must never be under tables', ['chairs >= tables']],
    ['chairs must be fewer than tables', ['chairs < tables']],
    ['tables should stay below or equal to 3', ['tables <= 3']],
    ['chairs must remain above or equal to 2', ['chairs >= 2']],
    ['tables have to be kept below 3', ['tables < 3']],
    ['tables exactly 4', ['tables = 4']],
    ['we have 40 hours of labour', ['labour = 40']],
    ['there are only 12 carpenters available', ['carpenters = 12']],
  ])('contains the likely meanings of %j for variables without an index', async (text, expected) => {
    expect(proposalsFor(text, await sketchOf('chairs, tables integer'))).toEqual(expected);
  });

  it.each([
    'chairs are at most a third of tables',
    'tables are at least double the chairs',
    'chairs minus tables at most 4',
    'chairs - tables at most 4',
    'at most 3 more chairs than tables',
    'chairs exceed tables by at least 2',
    'wood: 3 chairs and 5 tables at most 15',
    'wood: 3 per chair and 5 per table, at most 15',
    'chairs at most 3 dozen',
    'chairs per table at most 5',
    'chairs are not at most 5',
    'chairs or tables at most 5',
    'chairs made of oak at most 5',
    'we have 3 more carpenters than chairs',
  ])('is not made for %j, because it would ignore some words', async (text) => {
    expect(proposalsFor(text, await sketchOf('chairs, tables integer'))).toEqual([]);
  });

  it.each([
    ['our chairs must always be at most 5 pieces', 'chairs <= 5'],
    ['the number of chairs at most 5', 'chairs <= 5'],
    ['chairs plus tables at most 5', 'chairs + tables <= 5'],
  ])('ignores filler words in %j', async (text, expected) => {
    expect(proposalsFor(text, await sketchOf('chairs, tables integer'))).toEqual([expected]);
  });

  it.each(['the weather is nice', 'hello', 'chairs are fine', 'x at most'])('is not made for %j', async (text) => {
    expect(proposalsFor(text, await sketchOf('chairs, tables integer'))).toEqual([]);
  });

  it('is applied only if the user chooses it', async () => {
    const room = new Room();
    await room.say(PRODUCTS);
    const { question } = await room.say('make of every product should not exceed its demand');
    const chosen = question?.options.find(({ label }) => label.includes('make[p] <= demand[p] for p in products'));
    expect(chosen).toBeDefined();
    const constraints = () => room.cards.flatMap(({ data }) => [data['upper'], data['expression']].filter(Boolean));
    expect(constraints()).not.toContain('demand[p]');
    await room.choose(chosen!.label);
    expect(constraints().join()).toContain('demand[p]');
  });
});

describe('an example', () => {
  it.each([
    [PRODUCTS, 'make[p] <= demand[p] for p in products'],
    ['chairs, tables integer', 'limit: chairs + tables <= 40'],
    ['chairs integer', 'limit: chairs <= 40'],
    ['kpi: none', undefined],
  ])('uses names from the canvas: %s', async (text, example) => {
    expect(exampleFor(await sketchOf(text))).toBe(example);
  });
});
