import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const arcs = read('arcs.csv').map((row) => {
    const [from, to] = [row.text('from'), row.text('to')];
    const limits = { cost: row.figure('cost'), upper: row.figure('capacity') };
    return { from, to, name: program.variable(member('flow', from, to), limits) };
  });
  for (const row of read('nodes.csv')) {
    const node = row.text('node');
    const touching = arcs.filter(({ from, to }) => from === node || to === node);
    program.row(
      touching.map(({ from, name }) => [from === node ? 1 : -1, name]),
      '=',
      row.figure('supply'),
    );
  }
  return program;
}
