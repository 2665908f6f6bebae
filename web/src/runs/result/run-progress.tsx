import { Progress, Stack, Text } from '@mantine/core';
import { formatFigure, formatSeconds, formatShare } from '../figures';
import type { Run } from '../runs-data';
import { Figures } from './run-figures';

const PHASES = {
  reading: 'Loading the model',
  solving: 'The solver is searching',
  explaining: 'There is no feasible plan. Looking for the reason',
} as const;

/** Shows an active run's progress. */
export function RunProgress({ run: { progress, status, time_limit_seconds } }: { run: Run }) {
  if (progress === null)
    return (
      <Stack gap={6} role="status">
        <Text size="sm">
          {status === 'queued' ? 'Waiting for a free solver. Waiting costs nothing.' : 'The solver is starting.'}
        </Text>
        <Progress value={100} animated size="sm" aria-label="Waiting" color="gray" />
      </Stack>
    );
  const { phase, seconds, incumbent, bound, gap, nodes } = progress;
  const isSearching = incumbent !== null || bound !== null || nodes > 0;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {PHASES[phase]}
        {phase === 'solving' && isSearching && incumbent === null && '. It has found no plan yet'}
      </Text>
      <Progress value={Math.min(100, (100 * seconds) / time_limit_seconds)} size="sm" aria-label="Elapsed time" />
      <Text size="xs" c="dimmed">
        {formatSeconds(seconds)} of at most {formatSeconds(time_limit_seconds)}
      </Text>
      {isSearching && (
        <Figures
          label="Progress"
          figures={[
            ['Best plan so far', formatFigure(incumbent), 'large'],
            ['Best possible', formatFigure(bound)],
            ['Gap', formatShare(gap)],
            ['Search nodes', formatFigure(nodes)],
          ]}
        />
      )}
    </Stack>
  );
}
