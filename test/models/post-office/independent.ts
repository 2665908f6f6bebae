import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

/** Employees work for five consecutive days, and their shifts wrap around the week. */
export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const days = read('days.csv');
  const start = days.map((row) => program.variable(member('start', row.text('day')), { cost: 1, isWhole: true }));
  days.forEach((row, day) => {
    const present = [0, 1, 2, 3, 4].map((before) => start.at(day - before) ?? '');
    program.row(
      present.map((name) => [1, name]),
      '>=',
      row.figure('need'),
    );
  });
  return program;
}
