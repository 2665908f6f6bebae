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
  /** Files that examples move or delete. */
  notes: 'notes',
  draft: 'drafts/rough-plan.md',
  old_drafts: ['drafts/old-plan.md', 'drafts/older'],
  /** A number of the data card with this id. */
  value: 'hours',
  card_id: '01900000-0000-7000-8000-00000000de33',
  /** A conversation beside the default one. */
  conversation_id: '01900000-0000-7000-8000-00000000de34',
  /** A solved run of the canvas, and a variable of its plan. */
  execution_id: '01900000-0000-7000-8000-00000000de35',
  family: 'make',
  scenario_id: '01900000-0000-7000-8000-00000000de31',
  /** A member of the company, and a viewer of the private project. */
  user_id: 'max',
  private_project_id: '01900000-0000-7000-8000-00000000de32',
} as const;

/** Examples of required parameters by name. The demo has no others: take their ids from a listing. */
export const PARAMETER_EXAMPLES: Record<string, string> = {
  project_id: EXAMPLE.project_id,
  name: EXAMPLE.deployment_handle,
  skill: EXAMPLE.skill,
  scenario_id: EXAMPLE.scenario_id,
  card_id: EXAMPLE.card_id,
  conversation_id: EXAMPLE.conversation_id,
  execution_id: EXAMPLE.execution_id,
  family: EXAMPLE.family,
  user_id: EXAMPLE.user_id,
};

/** A container, as the operations on files name it. */
export const EXAMPLE_WORKSPACE = { source: 'workspace', project_id: EXAMPLE.project_id } as const;
export const EXAMPLE_DEPLOYMENT = { source: 'deployment', deployment_name: EXAMPLE.deployment_handle } as const;
