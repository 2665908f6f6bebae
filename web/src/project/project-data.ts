import type { ProjectEvent, Resync } from '@project-workspace/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePageVisible } from '../service/page-visible';
import { useService } from '../service/service';

/** Kinds of project data. For an `execution`, the query key also contains its id. */
export type DataKind = 'project' | 'cards' | 'files' | 'executions' | 'execution' | 'scenarios';

/** Returns a query key. Project events invalidate query keys by kind of data. */
export const keyOf = (projectId: string, kind: DataKind, ...further: unknown[]): unknown[] => [
  'project',
  projectId,
  kind,
  ...further,
];
const projectKey = (projectId: string): unknown[] => ['project', projectId];

/** Data to refetch after each event. */
const AFFECTED_DATA: Record<ProjectEvent['type'], readonly DataKind[]> = {
  'project.updated': ['project'],
  'project.restored': ['project', 'cards', 'files', 'executions', 'execution', 'scenarios'],
  'member.changed': ['project'],
  'cards.changed': ['cards', 'project', 'scenarios'],
  'files.changed': ['files'],
  // A run may complete a checklist item, writes files, and affects comparisons of scenarios.
  'execution.changed': ['executions', 'project', 'scenarios'],
  'scenario.changed': ['scenarios'],
  // The stream ends after a deletion. The conversation has its own stream.
  'project.deleted': [],
  'conversation.changed': [],
  'message.created': [],
  'turn.dispatched': [],
  'turn.ended': [],
  'execution.progress': [],
  'config.changed': [],
};

export function useProject(projectId: string) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'project'),
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId } };
      return (await client.GET('/api/v1/projects/{project_id}', { params, signal })).data;
    },
  });
}

/** Refetches displayed project data whenever it changes. */
export function useProjectEvents(projectId: string): void {
  const { client, onFailure } = useService();
  const queries = useQueryClient();
  const isVisible = usePageVisible();
  useEffect(() => {
    if (!isVisible) return undefined;
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const event of client.projectEvents(projectId, { signal: controller.signal, isPatient: true }))
        refetchChanged(queries, projectId, event);
      // The project was deleted. Refetching it shows this to the user.
      await queries.invalidateQueries({ queryKey: projectKey(projectId) });
    };
    follow().catch((error: unknown) => {
      if (controller.signal.aborted) return;
      onFailure(error);
      // If the user has lost access, refetching the project shows this.
      void queries.invalidateQueries({ queryKey: projectKey(projectId) });
    });
    return () => controller.abort();
  }, [client, onFailure, queries, projectId, isVisible]);
}

function refetchChanged(queries: QueryClient, projectId: string, event: ProjectEvent | Resync): void {
  if (event.type === 'resync') {
    void queries.invalidateQueries({ queryKey: projectKey(projectId) });
    return;
  }
  for (const kind of AFFECTED_DATA[event.type]) void queries.invalidateQueries({ queryKey: keyOf(projectId, kind) });
  // Progress events arrive every second and affect only this execution.
  if (event.type === 'execution.changed' || event.type === 'execution.progress')
    void queries.invalidateQueries({ queryKey: keyOf(projectId, 'execution', event.data.execution_id) });
}
