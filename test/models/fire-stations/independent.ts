import { member, Program } from '../../support/program.js';
import type { ReadTable } from '../formulation.js';

export function formulate(read: ReadTable): Program {
  const program = new Program('minimize');
  const drives = read('drives.csv');
  const towns = new Set(drives.map((drive) => drive.text('town')));
  for (const town of towns) program.binary(member('build', town), 1);
  for (const town of towns) {
    const near = drives.filter((drive) => drive.text('town') === town && drive.figure('minutes') <= 15);
    program.row(
      near.map((drive) => [1, member('build', drive.text('station'))]),
      '>=',
      1,
    );
  }
  return program;
}
