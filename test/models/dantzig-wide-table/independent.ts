import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const plants = read('plants.csv');
  const markets = read('markets.csv');
  const miles = new Map(read('distances.xlsx/Miles.csv').map((row) => [row.text('plant'), row]));
  const ship = (plant: string, market: string) => member('ship', plant, market);
  for (const plant of plants.map((row) => row.text('plant')))
    for (const market of markets.map((row) => row.text('market'))) {
      const distance = miles.get(plant)?.figure(market) ?? NaN;
      program.variable(ship(plant, market), { cost: (90 * distance) / 1000 });
    }
  for (const row of plants)
    program.row(
      markets.map((market) => [1, ship(row.text('plant'), market.text('market'))]),
      '<=',
      row.figure('capacity'),
    );
  for (const row of markets)
    program.row(
      plants.map((plant) => [1, ship(plant.text('plant'), row.text('market'))]),
      '>=',
      row.figure('demand'),
    );
  return program;
}
