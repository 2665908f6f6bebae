import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

const COSTS = { early: 10, late: 12, night: 15.5 };

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const needs = new Map(
    read('need.csv').map((row) => [member('staff', row.text('day'), row.text('shift')), row.figure('need')]),
  );
  const peak = program.variable('peak', { cost: 20, isWhole: true });
  let nightBefore: string | undefined;
  for (const row of read('days.csv')) {
    const day = row.text('day');
    const staff = (shift: string) => member('staff', day, shift);
    let needed = 0;
    for (const [shift, cost] of Object.entries(COSTS)) {
      const name = staff(shift);
      const lower = needs.get(name) ?? 2;
      program.variable(name, { cost, lower, isWhole: true });
      needed += lower;
    }
    const [early, late, night] = [staff('early'), staff('late'), staff('night')];
    program.row(
      [
        [1, early],
        [1, late],
        [1, night],
        [-1, peak],
      ],
      '<=',
      0,
    );
    program.row([[1, early], ...(nightBefore === undefined ? [] : [[1, nightBefore] as const])], '<=', 9);
    if (row.text('kind') === 'weekend') {
      program.row(
        [
          [1, early],
          [1, late],
        ],
        '>=',
        7,
      );
    }
    program.row([[1, late]], '>=', needed / 2 - 2);
    nightBefore = night;
  }
  return program;
}
