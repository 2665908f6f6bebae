import type { Execution, Schemas, WorkspaceClient } from '@project-workspace/client';
import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import { useFilesNamed } from '../project/workspace-files';
import { useService } from '../service/service';

export type Run = Execution;
export type ListedRun = Schemas['ExecutionResponse'];
export type Scenario = Schemas['ScenarioResponse'];
export type Result = NonNullable<Run['result']>;

export const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

/** Runs that are read at a time; no project has more scenarios. */
const PAGE = 100;

export interface RunFilter {
  /** Part of the name. */
  q: string;
  status: Status | null;
  scenario_id: string | null;
}

export const isOver = ({ status }: Pick<Run, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** The runs that fit a filter, the newest first, as many pages as were asked for. */
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
      return await listedRuns(client, projectId, { limit: PAGE, offset, ...filter }, signal);
    },
    getNextPageParam: ({ offset, executions, total }) =>
      offset + executions.length < total && executions.length > 0 ? offset + executions.length : undefined,
    // A search shows what was found before until it has found something.
    placeholderData: keepPreviousData,
  });
}

async function listedRuns(
  client: WorkspaceClient,
  projectId: string,
  query: { limit: number; offset: number; q?: string; status?: Status; scenario_id?: string },
  signal: AbortSignal,
) {
  const path = '/api/v1/projects/{project_id}/solve/executions';
  return (await client.GET(path, { params: { path: { project_id: projectId }, query }, signal })).data;
}

/** Each run once: one that has moved between two pages comes on both. */
export const runsOf = (pages: { executions: ListedRun[] }[]): ListedRun[] => [
  ...new Map(pages.flatMap(({ executions }) => executions).map((run) => [run.id, run])).values(),
];

/** Everything about a run; of one that is over it is read once, as it never changes. */
const runQuery = (client: WorkspaceClient, projectId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(projectId, 'execution', id),
    queryFn: async ({ signal }): Promise<Run> => {
      const params = { path: { project_id: projectId, execution_id: id } };
      const path = '/api/v1/projects/{project_id}/solve/executions/{execution_id}';
      return (await client.GET(path, { params, signal })).data;
    },
    staleTime: ({ state: { data } }) => (data !== undefined && isOver(data) ? 'static' : 0),
  });

export function useRun(projectId: string, id: string, enabled = true) {
  const { client } = useService();
  return useQuery({ ...runQuery(client, projectId, id), enabled });
}

/** The cards that a run has solved. */
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
    // What a run solves never changes.
    staleTime: 'static',
  });
}

/** The runs that wait or go on. */
export function useActiveRuns(projectId: string): Run[] {
  const { client } = useService();
  const { data: active = [] } = useQuery({
    queryKey: keyOf(projectId, 'executions', 'active'),
    queryFn: async ({ signal }) => {
      const of = async (status: Status) =>
        (await listedRuns(client, projectId, { limit: PAGE, offset: 0, status }, signal)).executions;
      return [...(await of('running')), ...(await of('queued'))];
    },
  });
  const ids = [...new Set(active.map(({ id }) => id))];
  return useQueries({
    queries: ids.map((id) => runQuery(client, projectId, id)),
    combine: (results) => results.flatMap(({ data }) => (data === undefined || isOver(data) ? [] : [data])),
  });
}

/** All scenarios of a project, the newest first. */
export function useScenarios(projectId: string) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'scenarios', 'listed'),
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId }, query: { limit: PAGE } };
      return (await client.GET('/api/v1/projects/{project_id}/scenarios', { params, signal })).data.scenarios;
    },
  });
}

/** What a run is called: as somebody has called it, else by what it has solved. */
export function nameOf(
  run: Pick<ListedRun, 'name' | 'scenario_id' | 'input_file_ids'>,
  scenarios: Scenario[] = [],
): string {
  if (run.name !== null) return run.name;
  if (run.scenario_id !== null) return scenarioNameOf(run.scenario_id, scenarios);
  return run.input_file_ids?.[0] ?? 'Canvas';
}

export const scenarioNameOf = (id: string, scenarios: Scenario[] = []): string =>
  scenarios.find((one) => one.id === id)?.name ?? 'A scenario that was deleted';

/** How long a run took in seconds; null as long as that is not known. */
export function secondsOf({
  started_at,
  ended_at,
  progress,
}: Pick<ListedRun, 'started_at' | 'ended_at'> & { progress?: Run['progress'] | undefined }): number | null {
  if (started_at === null) return null;
  if (ended_at !== null) return Math.max(0, (Date.parse(ended_at) - Date.parse(started_at)) / 1000);
  return progress?.seconds ?? null;
}

/** What runs have written is what comes out, and no input. */
const RESULTS = 'results/';

/** Paths of the files of a workspace that can be put in, whose names end in one of some ways. */
export const useInputFiles = (projectId: string, endings: RegExp): string[] =>
  useFilesNamed(projectId, endings).filter((path) => !path.startsWith(RESULTS));
