import { pathOf } from '../project/paths';

/** Returns the URL of a project's runs. */
export const runsPath = (projectId: string): string => pathOf(projectId, 'runs');

export const runPath = (projectId: string, runId: string): string => `${runsPath(projectId)}/${runId}`;

export const scenariosPath = (projectId: string): string => `${runsPath(projectId)}/scenarios`;

/** Returns the URL of the scenario editor. Default: a new scenario. */
export const scenarioPath = (projectId: string, scenarioId = 'new'): string =>
  `${scenariosPath(projectId)}/${scenarioId}`;

/** Returns the URL of the scenario comparison. Default: all scenarios. */
export const comparisonPath = (projectId: string, ids: readonly string[] = []): string =>
  [`${runsPath(projectId)}/comparison`, ...(ids.length > 0 ? [ids.join(',')] : [])].join('/');
