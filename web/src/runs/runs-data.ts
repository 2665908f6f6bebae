import type { Execution, Schemas, WorkspaceClient } from '@project-workspace/client';
import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import type { Scenario } from '../project/scenarios';
import { useFilePaths } from '../project/workspace-files';
import { useService } from '../service/service';

export type Run = Execution;
export type RunSummary = Schemas['ExecutionResponse'];
export type Result = NonNullable<Run['result']>;

export const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

/** Number of runs per page. */
const PAGE_SIZE = 100;

export interface RunFilter {
  /** Substring of the run's name. */
  q: string;
  status: Status | null;
  scenario_id: string | null;
}

export const isFinished = ({ status }: Pick<Run, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Reads the runs that match a filter, newest first. */
export function useRuns(projectId: string, { q, status, scenario_id }: RunFilter) {
  const { client } = useService();
  return useInfiniteQuery({
    queryKey: keyOf(projectId, 'executions', 'listed', q, status, scenario_id),
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const filter = {
        ...(q !== '' && { q }),
        ...(status !== null && { status }),
        ...(scenario_id !== null && { scenario_id }),
      };
      return await fetchRuns(client, projectId, { limit: PAGE_SIZE, offset, ...filter }, signal);
    },
    getNextPageParam: ({ offset, executions, total }) =>
      offset + executions.length < total && executions.length > 0 ? offset + executions.length : undefined,
    // Keeps the previous results on screen until the search has finished.
    placeholderData: keepPreviousData,
  });
}

async function fetchRuns(
  client: WorkspaceClient,
  projectId: string,
  query: { limit: number; offset: number; q?: string; status?: Status; scenario_id?: string },
  signal: AbortSignal,
) {
  const path = '/api/v1/projects/{project_id}/solve/executions';
  return (await client.GET(path, { params: { path: { project_id: projectId }, query }, signal })).data;
}

/** Removes duplicates. A run that moves to another page while pages are being loaded may appear on both. */
export const runsOf = (pages: { executions: RunSummary[] }[]): RunSummary[] => [
  ...new Map(pages.flatMap(({ executions }) => executions).map((run) => [run.id, run])).values(),
];

/** Query for a run with all details. A run that has ended is read only once, because it never changes. */
const runQuery = (client: WorkspaceClient, projectId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(projectId, 'execution', id),
    queryFn: async ({ signal }): Promise<Run> => {
      const params = { path: { project_id: projectId, execution_id: id } };
      const path = '/api/v1/projects/{project_id}/solve/executions/{execution_id}';
      return (await client.GET(path, { params, signal })).data;
    },
    staleTime: ({ state: { data } }) => (data !== undefined && isFinished(data) ? 'static' : 0),
  });

export function useRun(projectId: string, id: string, enabled = true) {
  const { client } = useService();
  return useQuery({ ...runQuery(client, projectId, id), enabled });
}

/** Reads the cards that a run has solved. */
export function useRunCards(projectId: string, id: string, enabled = true) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'execution', id, 'cards'),
    enabled,
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId, execution_id: id } };
      const path = '/api/v1/projects/{project_id}/solve/executions/{execution_id}/cards';
      return (await client.GET(path, { params, signal })).data;
    },
    // A run's cards never change.
    staleTime: 'static',
  });
}

/** Reads the runs that are queued or running. */
export function useActiveRuns(projectId: string): Run[] {
  const { client } = useService();
  const { data: active = [] } = useQuery({
    queryKey: keyOf(projectId, 'executions', 'active'),
    queryFn: async ({ signal }) => {
      const runsWith = async (status: Status) =>
        (await fetchRuns(client, projectId, { limit: PAGE_SIZE, offset: 0, status }, signal)).executions;
      return [...(await runsWith('running')), ...(await runsWith('queued'))];
    },
  });
  const ids = [...new Set(active.map(({ id }) => id))];
  return useQueries({
    queries: ids.map((id) => runQuery(client, projectId, id)),
    combine: (results) => results.flatMap(({ data }) => (data === undefined || isFinished(data) ? [] : [data])),
  });
}

/** Returns the name of a run. Default: the name of the model that the run has solved. */
export function nameOf(
  run: Pick<RunSummary, 'name' | 'scenario_id' | 'input_file_ids'>,
  scenarios: Scenario[] = [],
): string {
  if (run.name !== null) return run.name;
  if (run.scenario_id !== null) return scenarioNameOf(run.scenario_id, scenarios);
  return run.input_file_ids?.[0] ?? 'Canvas';
}

export const scenarioNameOf = (id: string, scenarios: Scenario[] = []): string =>
  scenarios.find((one) => one.id === id)?.name ?? 'Deleted scenario';

/** Returns the duration of a run in seconds, or null if it is unknown. */
export function secondsOf({
  started_at,
  ended_at,
  progress,
}: Pick<RunSummary, 'started_at' | 'ended_at'> & { progress?: Run['progress'] | undefined }): number | null {
  if (started_at === null) return null;
  if (ended_at !== null) return Math.max(0, (Date.parse(ended_at) - Date.parse(started_at)) / 1000);
  return progress?.seconds ?? null;
}

/** Folder for the output of runs. Its files are not offered as input. */
const RESULTS_FOLDER = 'results/';

/** Returns the paths of workspace files that can be used as input and whose names match a pattern. */
export const useInputFiles = (projectId: string, endings: RegExp): string[] =>
  useFilePaths(projectId, endings).filter((path) => !path.startsWith(RESULTS_FOLDER));
