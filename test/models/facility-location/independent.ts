import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

const GERMAN = { delimiter: ';', decimal: ',', encoding: 'windows-1252' } as const;

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const plants = read('plants.csv', GERMAN);
  const lanes = read('lanes.csv', GERMAN);
  for (const row of plants) program.binary(member('open', row.text('Plant')), row.figure('Fixed cost (EUR)'));
  const nameOf = (row: (typeof lanes)[number]) => member('send', row.text('Plant'), row.text('Warehouse'));
  for (const row of lanes) program.variable(nameOf(row), { cost: 1000 * row.figure('Unit cost') });
  for (const row of read('warehouses.csv', GERMAN)) {
    const coming = lanes.filter((lane) => lane.text('Warehouse') === row.text('Warehouse'));
    program.row(
      coming.map((lane) => [1, nameOf(lane)]),
      '=',
      row.figure('Demand'),
    );
  }
  for (const row of plants) {
    const plant = row.text('Plant');
    const leaving = lanes.filter((lane) => lane.text('Plant') === plant);
    program.row(
      [...leaving.map((lane) => [1, nameOf(lane)] as const), [-row.figure('Capacity'), member('open', plant)]],
      '<=',
      0,
    );
  }
  return program;
}
