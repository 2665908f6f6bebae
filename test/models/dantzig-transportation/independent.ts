import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const lanes = read('lanes.csv').map((row) => {
    const [plant, market] = [row.text('plant'), row.text('market')];
    const cost = (90 * row.figure('distance')) / 1000;
    return { plant, market, name: program.variable(member('ship', plant, market), { cost }) };
  });
  for (const row of read('plants.csv')) {
    const leaving = lanes.filter(({ plant }) => plant === row.text('plant'));
    program.row(
      leaving.map(({ name }) => [1, name]),
      '<=',
      row.figure('capacity'),
    );
  }
  for (const row of read('markets.csv')) {
    const coming = lanes.filter(({ market }) => market === row.text('market'));
    program.row(
      coming.map(({ name }) => [1, name]),
      '>=',
      row.figure('demand'),
    );
  }
  return program;
}
