import { expect, it } from '@jest/globals';
import type { Family, Model } from '../model/model.js';
import { resultTables } from './result-tables.js';

const family = (name: string, from: number, ...members: string[]): Family => ({
  name,
  keys: ['products'],
  members: [members],
  from,
  size: members.length,
});
const row = (name: string) => ({ name, terms: { variables: [], coefficients: [] }, lower: 0, upper: 1 });

const LONG = 'a'.repeat(5_000);
const model: Model = {
  sense: 'minimize',
  objective: { variables: [], coefficients: [] },
  constant: 0,
  variables: [],
  rows: ['Need[oak, "red"]', 'Need[elm]', 'All'].map(row),
  families: {
    variables: [
      family('constraints', 0, 'a'),
      family(LONG, 1, 'a'),
      family(`${LONG}b`, 2),
      family('make', 2, 'a\nb', ' c'),
    ],
    rows: [family('None', 0), family('Need', 0, 'oak, "red"', 'elm')],
  },
  kpis: [],
};
const plan = {
  values: Float64Array.of(1, 2, 0.5, 1e21),
  activities: Float64Array.of(3, 4, 5),
  slacks: Float64Array.of(0, -1, 2),
};

it('makes a table of each variable with an index and one of all constraints, under names that files can have', () => {
  const tables = resultTables(model, plan);
  expect(tables.map(({ name }) => name)).toEqual([
    'constraints 2.csv',
    `${'a'.repeat(60)}….csv`,
    `${'a'.repeat(60)}… 2.csv`,
    'make.csv',
    'constraints.csv',
  ]);
  expect(tables.map(({ content }) => Buffer.from(content).toString())).toEqual([
    'products,value\na,1\n',
    'products,value\na,2\n',
    'products,value\n',
    'products,value\n"a\nb",0.5\n" c",1e+21\n',
    'name,keys,activity,slack\nNeed,"oak, ""red""",3,0\nNeed,elm,4,-1\nAll,,5,2\n',
  ]);
});

it('makes none of a model without an index', () => {
  expect(resultTables({ ...model, families: { variables: [], rows: [] } }, plan)).toEqual([]);
});
