import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

const SHIFT = 4;

/**
 * Shifts last four hours and can start at any hour, beginning with the first. Each hour of a missing agent costs 35.
 */
export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const started: string[] = [];
  for (const row of read('hours.csv')) {
    const hour = row.text('hour');
    started.push(program.variable(member('start', hour), { cost: row.figure('pay'), isWhole: true }));
    const missing = program.variable(member('missing', hour), { cost: 35, isHelper: true });
    const present = started.slice(-SHIFT).map((name) => [1, name] as const);
    program.row([...present, [1, missing]], '>=', row.figure('agents needed'));
    program.row(present, '<=', 15);
  }
  program.row(
    started.map((name) => [1, name]),
    '<=',
    31,
  );
  return program;
}
