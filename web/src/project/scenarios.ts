import type { Schemas } from '@project-workspace/client';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

export type Scenario = Schemas['ScenarioResponse'];

/** Maximum number of scenarios in a project. */
export const MAX_SCENARIOS = 100;

/** Reads all scenarios in a project, newest first. */
export function useScenarios(projectId: string, enabled = true) {
  const { client } = useService();
  return useQuery({
    queryKey: keyOf(projectId, 'scenarios', 'listed'),
    enabled,
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId }, query: { limit: MAX_SCENARIOS } };
      return (await client.GET('/api/v1/projects/{project_id}/scenarios', { params, signal })).data.scenarios;
    },
  });
}
