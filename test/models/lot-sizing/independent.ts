import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

/** A lot covers the demand of several months, so the remaining demand of the year bounds its size. */
export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const months = read('months.csv');
  const balance: [number, string][] = [];
  let asked = 0;
  let rest = months.reduce((sum, row) => sum + row.figure('demand'), 0);
  for (const row of months) {
    const month = row.text('month');
    const order = program.binary(member('order', month), row.figure('setup cost'));
    const lot = program.variable(member('lot', month));
    const stock = program.variable(member('stock', month), { cost: 1 });
    balance.push([1, lot]);
    asked += row.figure('demand');
    program.row([...balance, [-1, stock]], '=', asked);
    program.row(
      [
        [1, lot],
        [-rest, order],
      ],
      '<=',
      0,
    );
    rest -= row.figure('demand');
  }
  return program;
}
