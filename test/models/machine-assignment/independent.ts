import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const setups = read('setups.csv').map((row) => {
    const [machine, job] = [row.text('machine'), row.text('job')];
    return { machine, job, name: program.binary(member('does', machine, job), row.figure('hours')) };
  });
  for (const side of ['machine', 'job'] as const) {
    for (const one of new Set(setups.map((setup) => setup[side]))) {
      const its = setups.filter((setup) => setup[side] === one);
      program.row(
        its.map(({ name }) => [1, name]),
        '=',
        1,
      );
    }
  }
  return program;
}
