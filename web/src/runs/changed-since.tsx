import { Text } from '@mantine/core';
import { useCards } from '../project/cards';
import { useScenarios } from '../project/scenarios';
import { useModified } from '../project/workspace-files';
import { changesInWords, changesSince, usedPaths } from './changes-since';
import { type RunSummary, useRun, useRunCards } from './runs-data';

type SolvedRun = Pick<RunSummary, 'id' | 'status' | 'created_at' | 'scenario_id' | 'input_file_ids'>;

/** Shows that a result is based on an earlier model, and lists the changes. Renders nothing while the result is up to date. */
export function ChangedSince({ projectId, run }: { projectId: string; run: SolvedRun }) {
  const { data: cards } = useCards(projectId);
  const { data: scenarios = [] } = useScenarios(projectId);
  const modified = useModified(projectId, usedPaths(run, { cards: cards ?? [], scenarios }));
  const isComparable = run.status === 'succeeded' && cards !== undefined;
  const canvasChanges = isComparable ? changesSince(run, { cards, modified, scenarios }, undefined) : [];
  // The cards of the run are only needed to find removed cards.
  const { data: runCards } = useRunCards(projectId, run.id, isComparable && canvasChanges.length === 0);
  const changes =
    isComparable && canvasChanges.length === 0
      ? changesSince(run, { cards, modified, scenarios }, runCards?.cards ?? undefined)
      : canvasChanges;
  if (changes.length === 0) return null;
  return (
    <Text component="span" display="block" size="xs" fw={550} truncate title={changes.join(', ')}>
      {changesInWords(changes)}
    </Text>
  );
}

/** Same as {@link ChangedSince}, for a run that must be loaded by its id. */
export function RunChangedSince({ projectId, runId }: { projectId: string; runId: string }) {
  const { data: run } = useRun(projectId, runId);
  return run === undefined ? null : <ChangedSince projectId={projectId} run={run} />;
}
