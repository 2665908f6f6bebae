import { expect, it } from '@jest/globals';
import type { Family, Model } from '../../../packages/solver/model.js';
import { memberTable, resultTables } from './result-tables.js';

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

it('creates a table for each indexed variable and another for all constraints, with valid file names', () => {
  const tables = resultTables(model, plan);
  expect(tables.map(({ name }) => name)).toEqual([
    'constraints 2.csv',
    `${'a'.repeat(60)}….csv`,
    `${'a'.repeat(60)}… 2.csv`,
    'make.csv',
    'constraints.csv',
  ]);
  expect(tables.map(({ content }) => Buffer.from(content).toString())).toEqual([
    'products,value,reduced_cost\na,1,\n',
    'products,value,reduced_cost\na,2,\n',
    'products,value,reduced_cost\n',
    'products,value,reduced_cost\n"a\nb",0.5,\n" c",1e+21,\n',
    'name,keys,activity,slack,dual\nNeed,"oak, ""red""",3,0,\nNeed,elm,4,-1,\nAll,,5,2,\n',
  ]);
});

it('includes the shadow prices of a linear program and keeps column names unique', () => {
  const priced = { ...plan, duals: Float64Array.of(0, -0, 2.5), reducedCosts: Float64Array.of(-1, 0, 0, 3) };
  const keyed = { ...family('make', 0, 'a'), keys: ['value'] };
  const [made, constraints] = resultTables({ ...model, families: { variables: [keyed], rows: [] } }, priced);
  expect(Buffer.from(made!.content).toString()).toBe('value 2,value,reduced_cost\na,1,-1\n');
  expect(Buffer.from(constraints!.content).toString()).toContain('\nNeed[elm],,4,-1,0\nAll,,5,2,2.5\n');
});

it('puts all members of variables into a single table and quotes names, so that they are read as text', () => {
  const variables = [family('true', 0, '8:00'), family('None', 1), family('make', 2, 'a\nb', '"c"')];
  expect(Buffer.from(memberTable({ ...model, families: { variables, rows: [] } }, plan)!).toString()).toBe(
    [
      'family,keys,value,reduced_cost',
      '"""true""","[""8:00""]",1,',
      '"""make""","[""a\\nb""]",0.5,',
      '"""make""","[""\\""c\\""""]",1e+21,',
      '',
    ].join('\n'),
  );
  const none = { variables: [family('None', 0)], rows: [] };
  expect(memberTable({ ...model, families: none }, plan)).toBeUndefined();
});

it('does not create any tables for a model without indexed variables', () => {
  expect(resultTables({ ...model, families: { variables: [], rows: [] } }, plan)).toEqual([]);
});
