import { Text } from '@mantine/core';
import type { ListedRun } from './runs-data';
import classes from './runs.module.css';

/** A word for what has become of a run, and how it looks beside it. */
const WORDS: Record<string, [word: string, look: 'waits' | 'goes' | 'good' | 'fair' | 'bad']> = {
  queued: ['Waiting', 'waits'],
  running: ['Solving', 'goes'],
  succeeded: ['Solved', 'good'],
  optimal: ['Optimal', 'good'],
  time_limit: ['Feasible', 'fair'],
  infeasible: ['Infeasible', 'bad'],
  unbounded: ['Unbounded', 'bad'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'waits'],
};

/** The status of a run, or of its result once there is one. */
export const statusOf = ({ status, outcome }: Pick<ListedRun, 'status' | 'outcome'>): string => outcome ?? status;

export const wordOf = (status: string): string => WORDS[status]?.[0] ?? status;

/** A status as a word, with a dot that says it at a glance. */
export function RunStatus({ status, size = 'sm' }: { status: string; size?: 'xs' | 'sm' }) {
  return (
    <Text component="span" size={size} className={classes.status} data-look={WORDS[status]?.[1]}>
      {wordOf(status)}
    </Text>
  );
}
