import type { Arithmetic } from '../model/adjustments.js';
import { shortened } from '../../modelling/index.js';

export const CHANGE_KINDS = ['value', 'bound', 'limit', 'column', 'cell', 'add', 'off', 'file'] as const;

/** Maximum length of a scenario name in characters. */
export const MAX_SCENARIO_NAME_LENGTH = 100;

/** Maximum number of changes in a scenario. */
export const MAX_CHANGES = 100;

/** Change that a scenario makes to the canvas. The kinds of changes are described in docs/scenarios.md. */
export interface Change extends Omit<Arithmetic, 'to'> {
  kind: (typeof CHANGE_KINDS)[number];
  target: string;
  /** Condition on the members of a column. */
  where?: string;
  /** Key parts of the changed cell. */
  key?: (string | number)[];
  /** New value: a number, or a file path. */
  to?: number | string;
}

/** Fields whose validity depends on the canvas. */
export type ChangeField = Exclude<keyof Change, 'kind'>;

/** Problem with a change, without a full stop. */
export interface ChangeProblem {
  /** Zero-based index of the change in the scenario. */
  index: number;
  /** Absent if the problem concerns the whole change. */
  field?: ChangeField;
  problem: string;
}

const OPERATIONS = ['times', 'plus', 'to'] as const;

/** Returns the name of the field that specifies the new value: `times`, `plus` or `to`. */
export const operationOf = (change: Change): (typeof OPERATIONS)[number] | undefined =>
  OPERATIONS.find((field) => change[field] !== undefined);

/** Returns the arithmetic of a valid change. */
export const arithmeticOf = ({ times, plus, to }: Change): Arithmetic => ({
  ...(times !== undefined && { times }),
  ...(plus !== undefined && { plus }),
  ...(typeof to === 'number' && { to }),
});

/** Checks the fields of a change as far as possible without the canvas. */
export function problemOfForm(change: Change): Omit<ChangeProblem, 'index'> | undefined {
  const { kind, where, key, to } = change;
  if (where !== undefined && kind !== 'column')
    return { field: 'where', problem: 'only the kind `column` takes `where`' };
  if (key !== undefined && kind !== 'cell') return { field: 'key', problem: 'only the kind `cell` takes `key`' };
  if (kind === 'cell' && (key === undefined || key.length === 0))
    return { field: 'key', problem: 'the kind `cell` needs the `key` of a member, with one part for each key column' };
  const operations = OPERATIONS.filter((field) => change[field] !== undefined);
  if (kind === 'off' || kind === 'add')
    return operations[0] === undefined
      ? undefined
      : {
          field: operations[0],
          problem: `the kind \`${kind}\` does not take \`times\`, \`plus\` or \`to\``,
        };
  if (kind === 'file') {
    const operation = operations.find((field) => field !== 'to');
    if (operation !== undefined)
      return { field: operation, problem: 'the kind `file` takes only `to`, the path of another file' };
    return typeof to === 'string' ? undefined : { field: 'to', problem: 'the path of a file is required' };
  }
  if (operations.length !== 1) return { problem: 'exactly one of `times`, `plus` and `to` is required' };
  return typeof to === 'string' ? { field: 'to', problem: 'a number is required' } : undefined;
}

/** Prefixes a problem with the number and the target of the change. */
export const sentenceOf = ({ index, problem }: ChangeProblem, changes: readonly Change[]): string =>
  `change ${index + 1} (${shortened(changes[index]?.target ?? '')}): ${problem}`;
