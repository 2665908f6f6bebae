import type { Arithmetic } from '../model/adjustments.js';
import { shortened } from '../../modelling/index.js';

export const CHANGE_KINDS = ['value', 'bound', 'limit', 'column', 'cell', 'add', 'off', 'file'] as const;

/** Maximum number of characters of a scenario's name. */
export const MAX_SCENARIO_NAME_LENGTH = 100;

/** Most changes of a scenario. */
export const MAX_CHANGES = 100;

/** One change that a scenario makes of the canvas; docs/scenarios.md tells what each kind does. */
export interface Change extends Omit<Arithmetic, 'to'> {
  kind: (typeof CHANGE_KINDS)[number];
  target: string;
  /** Of a column: a condition on the members that are meant. */
  where?: string;
  /** Of a cell: the parts of its member. */
  key?: (string | number)[];
  /** A number; of a file its path. */
  to?: number | string;
}

/** The fields that may be wrong by what is on the canvas. */
export type ChangeField = Exclude<keyof Change, 'kind'>;

/** What is wrong with a change, in words without a full stop. */
export interface ChangeProblem {
  /** Which change of the scenario. */
  index: number;
  /** Absent: the change as a whole. */
  field?: ChangeField;
  problem: string;
}

const OPERATIONS = ['times', 'plus', 'to'] as const;

/** The field that says what becomes of the figure. */
export const operationOf = (change: Change): (typeof OPERATIONS)[number] | undefined =>
  OPERATIONS.find((field) => change[field] !== undefined);

/** The figure of a change whose form is right. */
export const arithmeticOf = ({ times, plus, to }: Change): Arithmetic => ({
  ...(times !== undefined && { times }),
  ...(plus !== undefined && { plus }),
  ...(typeof to === 'number' && { to }),
});

/** What is wrong with a change whatever is on the canvas: fields that do not belong together. */
export function problemOfForm(change: Change): Omit<ChangeProblem, 'index'> | undefined {
  const { kind, where, key, to } = change;
  if (where !== undefined && kind !== 'column') return { field: 'where', problem: 'only a column has a `where`' };
  if (key !== undefined && kind !== 'cell') return { field: 'key', problem: 'only a cell has a `key`' };
  if (kind === 'cell' && (key === undefined || key.length === 0))
    return { field: 'key', problem: 'a cell needs the `key` of its member, a part for each column of the key' };
  const given = OPERATIONS.filter((field) => change[field] !== undefined);
  if (kind === 'off' || kind === 'add')
    return given[0] === undefined
      ? undefined
      : {
          field: given[0],
          problem: `what is ${kind === 'off' ? 'switched off' : 'added'} has no \`times\`, \`plus\` or \`to\``,
        };
  if (kind === 'file') {
    const other = given.find((field) => field !== 'to');
    if (other !== undefined)
      return { field: other, problem: 'a file has the path of another one in `to`, nothing else' };
    return typeof to === 'string' ? undefined : { field: 'to', problem: 'the path of a file is needed' };
  }
  if (given.length !== 1) return { problem: 'exactly one of `times`, `plus` and `to` is needed' };
  return typeof to === 'string' ? { field: 'to', problem: 'a number is needed' } : undefined;
}

/** What is wrong with a change, so that it can stand without its place. */
export const sentenceOf = ({ index, problem }: ChangeProblem, changes: readonly Change[]): string =>
  `change ${index + 1} (${shortened(changes[index]?.target ?? '')}): ${problem}`;
