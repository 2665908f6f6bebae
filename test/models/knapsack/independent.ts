import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('maximize');
  const weights = read('items.csv', { delimiter: ';' }).map(
    (row) => [row.figure('weight'), program.binary(member('take', row.text('item')), row.figure('value'))] as const,
  );
  program.row(weights, '<=', 750);
  return program;
}
