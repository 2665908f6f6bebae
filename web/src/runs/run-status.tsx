import { Text } from '@mantine/core';
import type { RunSummary } from './runs-data';
import classes from './runs.module.css';

/** Label and tone for each run status. */
const STATUS_STYLES: Record<string, [label: string, tone: 'neutral' | 'active' | 'good' | 'fair' | 'bad']> = {
  queued: ['Waiting', 'neutral'],
  running: ['Solving', 'active'],
  succeeded: ['Solved', 'good'],
  optimal: ['Optimal', 'good'],
  time_limit: ['Feasible', 'fair'],
  infeasible: ['Infeasible', 'bad'],
  unbounded: ['Unbounded', 'bad'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'neutral'],
};

/** Returns the status of a run, or its outcome once it has ended. */
export const statusOf = ({ status, outcome }: Pick<RunSummary, 'status' | 'outcome'>): string => outcome ?? status;

export const statusLabel = (status: string): string => STATUS_STYLES[status]?.[0] ?? status;

/** Shows a status as a word with a colored dot. */
export function RunStatus({ status, size = 'sm' }: { status: string; size?: 'xs' | 'sm' }) {
  return (
    <Text component="span" size={size} className={classes.status} data-tone={STATUS_STYLES[status]?.[1]}>
      {statusLabel(status)}
    </Text>
  );
}
