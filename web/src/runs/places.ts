import { pathOf } from '../project/paths';

/** Where everything about runs of a project is. */
export const runsPath = (projectId: string): string => pathOf(projectId, 'runs');

export const runPath = (projectId: string, runId: string): string => `${runsPath(projectId)}/${runId}`;

export const scenariosPath = (projectId: string): string => `${runsPath(projectId)}/scenarios`;

/** Where a scenario is edited; without an id: where a new one is made. */
export const scenarioPath = (projectId: string, scenarioId = 'new'): string =>
  `${scenariosPath(projectId)}/${scenarioId}`;

/** Where scenarios stand side by side; without ids: all of them. */
export const comparisonPath = (projectId: string, ids: readonly string[] = []): string =>
  [`${runsPath(projectId)}/comparison`, ...(ids.length > 0 ? [ids.join(',')] : [])].join('/');
