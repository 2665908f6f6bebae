import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

/** Variables are the daily spending on each food. The cost covers 365 days, and the data gives the nutrients per dollar. */
export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  for (const row of read('foods.csv')) program.variable(member('spend', row.text('food')), { cost: 365 });
  const contents = read('contents.csv');
  for (const row of read('nutrients.csv')) {
    const having = contents.filter((one) => one.text('nutrient') === row.text('nutrient'));
    program.row(
      having.map((one) => [one.figure('per dollar'), member('spend', one.text('food'))]),
      '>=',
      row.figure('need'),
    );
  }
  return program;
}
