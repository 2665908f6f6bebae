/**
 * Things that examples of the document name. The demo of a first start with the embedded database has them, so that the
 * examples can be tried as they are.
 */
export const EXAMPLE = {
  project_id: '01900000-0000-7000-8000-00000000de30',
  deployment_name: 'Production planning',
  deployment_handle: 'production-planning',
  skill: 'shift-rules',
  table: 'demand.csv',
  /** A number of a data card. */
  value: 'hours',
  scenario_id: '01900000-0000-7000-8000-00000000de31',
  /** A member of the company, and a viewer of the private project. */
  user_id: 'max',
  private_project_id: '01900000-0000-7000-8000-00000000de32',
} as const;

/** Examples of path parameters by name. What the demo does not have, the reader takes from a listing. */
export const PARAMETER_EXAMPLES: Record<string, string> = {
  project_id: EXAMPLE.project_id,
  name: EXAMPLE.deployment_handle,
  skill: EXAMPLE.skill,
  scenario_id: EXAMPLE.scenario_id,
  user_id: EXAMPLE.user_id,
};

/** A container, as the operations on files name it. */
export const EXAMPLE_WORKSPACE = { source: 'workspace', project_id: EXAMPLE.project_id } as const;
export const EXAMPLE_DEPLOYMENT = { source: 'deployment', deployment_name: EXAMPLE.deployment_handle } as const;
