import { newId } from '@project-workspace/client';
import type { Change } from './change-words';

export type Kind = Change['kind'];
export type Operation = 'times' | 'plus' | 'to';

/** A change as a form has it, whatever its kind: what belongs to another kind stays, for those who choose that again. */
export interface ChangeDraft {
  /** Tells the changes of a form apart, also when they are moved. */
  id: string;
  kind: Kind;
  target: string;
  where: string;
  key: string[];
  operation: Operation;
  /** As it is written. */
  amount: string;
  path: string;
}

/** A change to begin with. */
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

/** The change that a form says; what is missing in it is told by {@link problemOf}. */
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

/** The first field that is empty and must not be. */
export function problemOf({
  kind,
  target,
  key,
  amount,
  path,
}: ChangeDraft): { field: string; problem: string } | undefined {
  if (target.trim() === '') return { field: 'target', problem: 'Say what is changed' };
  if (kind === 'off' || kind === 'add') return undefined;
  if (kind === 'file') return path.trim() === '' ? { field: 'to', problem: 'Say which file' } : undefined;
  if (kind === 'cell' && key.every((part) => part.trim() === '')) return { field: 'key', problem: 'Say which member' };
  const isNumber = amount.trim() !== '' && Number.isFinite(Number(amount));
  return isNumber ? undefined : { field: 'amount', problem: 'Write a number, such as 2.5' };
}
