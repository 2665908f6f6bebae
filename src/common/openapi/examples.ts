/**
 * Objects used in the document's examples. They are part of the demo data that the first start with the embedded database
 * creates, so the examples can be tried unchanged.
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
  /** Name of a number on the data card `card_id`. */
  value: 'hours',
  card_id: '01900000-0000-7000-8000-00000000de33',
  /** Conversation other than the default conversation. */
  conversation_id: '01900000-0000-7000-8000-00000000de34',
  /** Solved execution of the canvas, and a variable of its plan. */
  execution_id: '01900000-0000-7000-8000-00000000de35',
  family: 'make',
  scenario_id: '01900000-0000-7000-8000-00000000de31',
  /** Company member who is a viewer of the private project. */
  user_id: 'max',
  private_project_id: '01900000-0000-7000-8000-00000000de32',
} as const;

/** Examples for required parameters, by name. The demo has no examples for other parameters. Take their ids from a listing. */
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

/** Containers in the format that file operations expect. */
export const EXAMPLE_WORKSPACE = { source: 'workspace', project_id: EXAMPLE.project_id } as const;
export const EXAMPLE_DEPLOYMENT = { source: 'deployment', deployment_name: EXAMPLE.deployment_handle } as const;
