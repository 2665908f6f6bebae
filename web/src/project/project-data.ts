import type { ProjectEvent, Resync } from '@project-workspace/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useIsLookedAt } from '../service/looked-at';
import { useService } from '../service/service';

/** What is read of a project, by what it is about; of an execution by itself: `execution`, with its id behind. */
export type About = 'project' | 'cards' | 'files' | 'executions' | 'execution' | 'scenarios';

/** The key of something that is read of a project: it is read again when what it is about changes. */
export const keyOf = (projectId: string, about: About, ...further: unknown[]): unknown[] => [
  'project',
  projectId,
  about,
  ...further,
];
const everythingOf = (projectId: string): unknown[] => ['project', projectId];

/** What is to be read again after an event. */
const CHANGED_BY: Record<ProjectEvent['type'], readonly About[]> = {
  'project.updated': ['project'],
  'project.restored': ['project', 'cards', 'files', 'executions', 'execution', 'scenarios'],
  'member.changed': ['project'],
  'cards.changed': ['cards', 'project', 'scenarios'],
  'files.changed': ['files'],
  // A run can meet a point of the checklist, writes files, and changes what a comparison rests on.
  'execution.changed': ['executions', 'project', 'scenarios'],
  'scenario.changed': ['scenarios'],
  // The end of the stream tells of a deletion, and the conversation has its own stream.
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

/** Reads again what is shown of a project whenever somebody has changed it. */
export function useProjectEvents(projectId: string): void {
  const { client, onFailure } = useService();
  const queries = useQueryClient();
  const isLookedAt = useIsLookedAt();
  useEffect(() => {
    if (!isLookedAt) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const event of client.projectEvents(projectId, { signal: leaving.signal, isPatient: true }))
        readAgain(queries, projectId, event);
      // It was deleted: what is read now says so.
      await queries.invalidateQueries({ queryKey: everythingOf(projectId) });
    };
    follow().catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      onFailure(error);
      // Whoever may not see it any more is told so by the project itself.
      void queries.invalidateQueries({ queryKey: everythingOf(projectId) });
    });
    return () => leaving.abort();
  }, [client, onFailure, queries, projectId, isLookedAt]);
}

function readAgain(queries: QueryClient, projectId: string, event: ProjectEvent | Resync): void {
  if (event.type === 'resync') {
    void queries.invalidateQueries({ queryKey: everythingOf(projectId) });
    return;
  }
  for (const about of CHANGED_BY[event.type]) void queries.invalidateQueries({ queryKey: keyOf(projectId, about) });
  // How far one is, which is told every second, concerns that one alone.
  if (event.type === 'execution.changed' || event.type === 'execution.progress')
    void queries.invalidateQueries({ queryKey: keyOf(projectId, 'execution', event.data.execution_id) });
}
