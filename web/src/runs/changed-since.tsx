import { Text } from '@mantine/core';
import { useCards } from '../project/cards';
import { useWorkspaceFiles } from '../project/workspace-files';
import { changesInWords, changesSince } from './changes-since';
import { type RunSummary, useRun, useRunCards, useScenarios } from './runs-data';

type SolvedRun = Pick<RunSummary, 'id' | 'status' | 'created_at' | 'scenario_id' | 'input_file_ids'>;

/** Shows that a result is based on an earlier model, and lists the changes. Renders nothing while the result is up to date. */
export function ChangedSince({ projectId, run }: { projectId: string; run: SolvedRun }) {
  const { data: cards } = useCards(projectId);
  const files = useWorkspaceFiles(
    projectId,
    cards?.some(({ data }) => data['file_path'] !== undefined),
  );
  const { data: scenarios = [] } = useScenarios(projectId);
  const isComparable = run.status === 'succeeded' && cards !== undefined;
  const canvasChanges = isComparable ? changesSince(run, { cards, files, scenarios }, undefined) : [];
  // The cards of the run are only needed to find removed cards.
  const { data: runCards } = useRunCards(projectId, run.id, isComparable && canvasChanges.length === 0);
  const changes =
    isComparable && canvasChanges.length === 0
      ? changesSince(run, { cards, files, scenarios }, runCards?.cards ?? undefined)
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
