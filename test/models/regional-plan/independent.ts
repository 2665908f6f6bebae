import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

const WEEKS = [1, 2, 3, 4, 5, 6];

export function formulate(read: ReadTable): Program {
  const program = new Program('maximize');
  const products = read('data/products.csv', { delimiter: ';', decimal: ',' });
  const demand = new Map(
    read('data/demand.csv').map((row) => [member('sell', row.text('product'), row.text('week')), row.figure('demand')]),
  );
  for (const row of products) {
    const product = row.text('Product');
    const balance: [number, string][] = [];
    for (const week of WEEKS) {
      const isUnderRepair = row.text('Region') === 'north' && (week === 4 || week === 5);
      const make = program.variable(member('make', product, week), {
        cost: -row.figure('Unit cost'),
        upper: isUnderRepair ? 10 : Infinity,
        isWhole: true,
      });
      const name = member('sell', product, week);
      const isPromised = product === 'stool' && week === 5;
      const sold = { cost: row.figure('Price'), lower: isPromised ? 40 : 0, upper: demand.get(name) ?? 0 };
      balance.push([1, make], [-1, program.variable(name, sold)]);
      const stock = program.variable(member('stock', product, week), { cost: -row.figure('Keeping') });
      program.row([...balance, [-1, stock]], '=', 0);
    }
  }
  for (const row of read('data/regions.csv')) {
    const local = products.filter((product) => product.text('Region') === row.text('Region'));
    const made = (week: number, product: (typeof local)[number]) => member('make', product.text('Product'), week);
    for (const week of WEEKS) {
      program.row(
        local.map((product) => [product.figure('Hours'), made(week, product)]),
        '<=',
        row.figure('Hours a week'),
      );
    }
    const all = WEEKS.flatMap((week) => local.map((product) => [1, made(week, product)] as const));
    program.row(all, '>=', row.figure('Floor'));
  }
  return program;
}
