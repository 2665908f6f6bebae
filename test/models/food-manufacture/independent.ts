import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];

/** H. P. Williams' formulation, with a separate variable for the product. */
export function formulate(read: ReadTable): Program {
  const program = new Program('maximize');
  const oils = read('oils.csv', { delimiter: ';', decimal: ',' });
  const kinds = read('kinds.csv');
  const prices = read('prices.csv');
  MONTHS.forEach((month, at) => {
    const product = program.variable(`product in ${month}`, { cost: 150, isHelper: true });
    const mixed: [number, string][] = [];
    for (const row of oils) {
      const oil = row.text('oil');
      const [price] = prices.filter((one) => one.text('oil') === oil && one.text('month') === month);
      if (price === undefined) throw new Error(`${oil} has no price in ${month}`);
      const isLast = at === MONTHS.length - 1;
      const buy = program.variable(member('buy', oil, month), { cost: -price.figure('price') });
      const refine = program.variable(member('refine', oil, month));
      const stored = { cost: -5, lower: isLast ? 500 : 0, upper: isLast ? 500 : 1000 };
      const store = program.variable(member('store', oil, month), stored);
      mixed.push([row.figure('hardness'), refine]);
      const left = [
        [1, buy],
        [-1, refine],
        [-1, store],
      ] as const;
      if (at === 0) program.row(left, '=', -500);
      else program.row([...left, [1, member('store', oil, MONTHS[at - 1] ?? '')]], '=', 0);
    }
    for (const kind of kinds) {
      const its = oils.filter((row) => row.text('kind') === kind.text('kind'));
      program.row(
        its.map((row) => [1, member('refine', row.text('oil'), month)]),
        '<=',
        kind.figure('limit'),
      );
    }
    program.row([...mixed.map(([, refine]) => [1, refine] as const), [-1, product]], '=', 0);
    program.row([...mixed, [-3, product]], '>=', 0);
    program.row([...mixed, [-6, product]], '<=', 0);
  });
  return program;
}
