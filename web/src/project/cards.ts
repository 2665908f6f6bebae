import { useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Reads a project's whole canvas, oldest card first. */
export function useCards(projectId: string, enabled = true) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'cards'),
    enabled,
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId } };
      return (await client.GET('/api/v1/projects/{project_id}/cards', { params, signal })).data.cards;
    },
  });
}
