import { Progress, Stack, Text } from '@mantine/core';
import { duration, figure, share } from '../figures';
import type { Run } from '../runs-data';
import { Figures } from './run-figures';

const PHASES = {
  reading: 'The model is being read',
  solving: 'The solver is searching',
  explaining: 'There is no plan; it is being found out why',
} as const;

/** Shows the progress of an active run. */
export function RunProgress({ run: { progress, status, time_limit_seconds } }: { run: Run }) {
  if (progress === null)
    return (
      <Stack gap={6} role="status">
        <Text size="sm">
          {status === 'queued'
            ? 'It waits until a solver is free. Waiting costs nothing.'
            : 'A solver has taken it up and begins.'}
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
        {phase === 'solving' && isSearching && incumbent === null && '; it has found no plan yet'}
      </Text>
      <Progress
        value={Math.min(100, (100 * seconds) / time_limit_seconds)}
        size="sm"
        aria-label="Time that has passed, of the time limit"
      />
      <Text size="xs" c="dimmed">
        {duration(seconds)} of at most {duration(time_limit_seconds)}
      </Text>
      {isSearching && (
        <Figures
          label="How far it is"
          figures={[
            ['Best plan so far', figure(incumbent), 'large'],
            ['No plan is better than', figure(bound)],
            ['Gap between both', share(gap)],
            ['Branchings', figure(nodes)],
          ]}
        />
      )}
    </Stack>
  );
}
