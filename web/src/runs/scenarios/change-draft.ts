import { newId } from '@project-workspace/client';
import type { Change } from './change-words';

export type Kind = Change['kind'];
export type Operation = 'times' | 'plus' | 'to';

/** Form state of a change. It also keeps the fields of other kinds of changes, in case the user switches back. */
export interface ChangeDraft {
  /** Id of the change within the form. It stays the same when the change is moved. */
  id: string;
  kind: Kind;
  target: string;
  where: string;
  key: string[];
  operation: Operation;
  /** Amount as typed by the user. */
  amount: string;
  path: string;
}

/** Returns a draft with default values and a new id. */
export const newDraft = (kind: Kind): ChangeDraft => ({
  id: newId(),
  kind,
  target: '',
  where: '',
  key: [],
  operation: 'times',
  amount: '',
  path: '',
});

export function draftOf({ kind, target, where = '', key = [], times, plus, to }: Change): ChangeDraft {
  const operation = times !== undefined ? 'times' : plus !== undefined ? 'plus' : 'to';
  return {
    ...newDraft(kind),
    target,
    where,
    key: key.map(String),
    ...(kind === 'file' ? { path: String(to ?? '') } : { operation, amount: String(times ?? plus ?? to ?? '') }),
  };
}

/** Converts form state to a change. {@link problemOf} reports missing fields. */
export function changeOf({ kind, target, where, key, operation, amount, path }: ChangeDraft): Change {
  const change = { kind, target: target.trim() };
  if (kind === 'off' || kind === 'add') return change;
  if (kind === 'file') return { ...change, to: path.trim() };
  return {
    ...change,
    ...(kind === 'column' && where.trim() !== '' && { where: where.trim() }),
    ...(kind === 'cell' && { key: key.map((part) => part.trim()) }),
    [operation]: Number(amount),
  };
}

/** Returns the first required field that is empty. */
export function problemOf({
  kind,
  target,
  key,
  amount,
  path,
}: ChangeDraft): { field: string; problem: string } | undefined {
  if (target.trim() === '') return { field: 'target', problem: 'Choose what to change' };
  if (kind === 'off' || kind === 'add') return undefined;
  if (kind === 'file') return path.trim() === '' ? { field: 'to', problem: 'Choose a file' } : undefined;
  if (kind === 'cell' && key.every((part) => part.trim() === '')) return { field: 'key', problem: 'Choose a member' };
  const isNumber = amount.trim() !== '' && Number.isFinite(Number(amount));
  return isNumber ? undefined : { field: 'amount', problem: 'Enter a number, such as 2.5' };
}
