import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const cuts = read('cuts.csv');
  for (const pattern of new Set(cuts.map((cut) => cut.text('pattern'))))
    program.variable(member('boards', pattern), { cost: 1, isWhole: true });
  for (const row of read('lengths.csv')) {
    const giving = cuts.filter((cut) => cut.text('length') === row.text('length'));
    program.row(
      giving.map((cut) => [cut.figure('pieces'), member('boards', cut.text('pattern'))]),
      '>=',
      row.figure('demand'),
    );
  }
  return program;
}
