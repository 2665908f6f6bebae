import { useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Page size that exceeds the maximum number of snapshots in a project. */
const MAX_SNAPSHOTS = 1000;

/** Reads a project's snapshots, newest first. */
export function useSnapshots(projectId: string) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'project', 'snapshots'),
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId }, query: { limit: MAX_SNAPSHOTS } };
      return (await client.GET('/api/v1/projects/{project_id}/snapshots', { params, signal })).data.snapshots;
    },
  });
}
