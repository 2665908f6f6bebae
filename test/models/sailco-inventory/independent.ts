import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

/** The stock at the end of a quarter is the opening stock plus all production up to that time, minus all demand. */
export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const made: string[] = [];
  let asked = 0;
  for (const row of read('quarters.tsv', { delimiter: '\t' })) {
    const quarter = row.text('quarter');
    made.push(program.variable(member('regular', quarter), { cost: 400, upper: 40 }));
    made.push(program.variable(member('overtime', quarter), { cost: 450 }));
    const stock = program.variable(member('stock', quarter), { cost: 20 });
    asked += row.figure('demand') - row.figure('opening stock');
    program.row([...made.map((name) => [1, name] as const), [-1, stock]], '=', asked);
  }
  return program;
}
