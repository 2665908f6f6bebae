import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import { readCsv } from './csv.js';
import { Program } from './program.js';

let glpk: GLPK;
beforeAll(async () => {
  glpk = await Glpk();
});

/** Allows at most 7 chairs and tables in total, and at most 2.5 tables. Lamps are a helper variable. */
function workshop(): Program {
  const program = new Program('maximize');
  program.variable('chairs', { cost: 3, isWhole: true });
  program.variable('tables', { cost: 5, upper: 2.5 });
  program.variable('lamps', { cost: 1, isHelper: true });
  program.row(
    [
      [1, 'chairs'],
      [1, 'tables'],
      [0.5, 'lamps'],
      [0.5, 'lamps'],
    ],
    '<=',
    7,
  );
  return program;
}

describe('Program', () => {
  it('returns the optimum, and the objective value of a plan', () => {
    expect(workshop().optimum(glpk)).toBeCloseTo(25);
    const plan = new Map([
      ['chairs', 4],
      ['tables', 2],
    ]);
    expect(workshop().objectiveOf(glpk, plan, 1e-6)).toBeCloseTo(23);
  });

  it.each([
    ['violates a constraint', { chairs: 6, tables: 2 }],
    ['violates a bound', { chairs: 1, tables: 3 }],
    ['has a fraction for an integer variable', { chairs: 1.5, tables: 1 }],
    ['lacks a variable', { chairs: 1 }],
    ['contains an unknown variable', { chairs: 1, tables: 1, beds: 1 }],
  ])('rejects a plan that %s', (_, values) => {
    expect(() => workshop().objectiveOf(glpk, new Map(Object.entries(values)), 1e-6)).toThrow(Error);
  });

  it('throws if no plan is feasible', () => {
    const program = workshop();
    program.row([[1, 'tables']], '>=', 3);
    expect(() => program.optimum(glpk)).toThrow(/status/);
  });
});

it('reads strings and numbers from CSV with the given delimiter and decimal separator', () => {
  const file = Buffer.from('\ufeffname; unit cost\r\n"oak ""arm""; chair" ;1,5\r\nstool;\r\n');
  const [chair, stool] = readCsv(file, { delimiter: ';', decimal: ',' });
  expect([chair?.text('name'), chair?.figure('unit cost'), stool?.text('name')]).toEqual([
    'oak "arm"; chair',
    1.5,
    'stool',
  ]);
  expect(() => stool?.figure('unit cost')).toThrow(/no number/);
  expect(() => stool?.text('price')).toThrow(/no column price/);
});
