import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const flows = read('network.xlsx/Freight.csv').map((row) => {
    const [goods, origin, destination] = [row.text('goods'), row.text('origin'), row.text('destination')];
    const name = program.variable(member('flow', goods, origin, destination), { cost: row.figure('cost') });
    return { goods, origin, destination, name };
  });
  for (const row of read('network.xlsx/Lanes.csv')) {
    const [origin, destination] = [row.text('origin'), row.text('destination')];
    const along = flows.filter((flow) => flow.origin === origin && flow.destination === destination);
    program.row(
      along.map(({ name }) => [1, name]),
      '<=',
      row.figure('capacity'),
    );
  }
  for (const row of read('network.xlsx/Supply.csv')) {
    const city = row.text('city');
    const touching = flows.filter(
      ({ goods, origin, destination }) => goods === row.text('goods') && [origin, destination].includes(city),
    );
    program.row(
      touching.map(({ origin, name }) => [origin === city ? 1 : -1, name]),
      '=',
      row.figure('supply'),
    );
  }
  return program;
}
