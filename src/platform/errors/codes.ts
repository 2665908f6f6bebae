/**
 * Every code that an error other than a failed validation carries, by its status. Codes are for programs and never change their
 * meaning; sentences are for people. An error is made with a code of its status, and an operation documents those that it
 * answers beside those of every request.
 */
export const CODES = {
  400: [
    'body_cut_off',
    'etag_mismatch',
    'host_invalid',
    'json_malformed',
    'part_changed',
    'part_missing',
    'part_repeated',
    'part_too_small',
    'request_malformed',
    'request_refused',
    'size_mismatch',
    'value_not_storable',
  ],
  401: ['credentials_invalid', 'not_authenticated'],
  402: ['budget_exhausted'],
  403: [
    'api_key_limited',
    'api_key_reads_only',
    'api_key_revoked',
    'company_level_required',
    'editor_required',
    'key_above_creator',
    'owner_required',
    'snapshot_immutable',
    'url_expired',
    'url_signature_invalid',
    'user_required',
  ],
  404: [
    'api_key_not_found',
    'budget_not_found',
    'card_not_found',
    'conversation_not_found',
    'delivery_not_found',
    'deployment_not_found',
    'directory_not_found',
    'execution_not_found',
    'file_not_found',
    'instructions_not_found',
    'member_not_found',
    'path_not_found',
    'project_not_found',
    'scenario_not_found',
    'skill_not_found',
    'snapshot_not_found',
    'turn_not_found',
    'upload_not_found',
    'user_not_found',
    'values_not_found',
    'webhook_not_found',
  ],
  405: ['method_not_allowed'],
  408: ['body_too_slow', 'request_too_slow'],
  409: [
    'answer_lost',
    'canvas_full',
    'client_msg_id_reused',
    'container_mismatch',
    'default_conversation',
    'deployment_exists',
    'directory_in_the_way',
    'directory_not_empty',
    'execution_has_no_plan',
    'execution_over',
    'file_in_the_way',
    'idempotency_key_reused',
    'inputs_not_kept',
    'last_owner',
    'no_origin',
    'part_sent_again',
    'request_conflict',
    'request_under_way',
    'scenario_exists',
    'snapshot_in_use',
    'too_many_api_keys',
    'too_many_budgets',
    'too_many_members',
    'too_many_scenarios',
    'too_many_snapshots',
    'too_many_webhooks',
    'upload_aborted',
    'upload_assembled',
    'upload_being_completed',
    'upload_completed',
    'version_conflict',
    'webhook_inactive',
  ],
  410: ['upload_expired', 'upload_parts_gone'],
  412: ['precondition_failed'],
  413: [
    'body_too_large',
    'company_storage_full',
    'content_too_large',
    'file_too_large',
    'part_too_large',
    'too_many_uploads',
  ],
  414: ['url_too_long'],
  415: ['body_compressed'],
  416: ['range_not_satisfiable'],
  417: ['expectation_failed'],
  429: [
    'rate_limited',
    'too_many_executions',
    'too_many_requests_at_once',
    'too_many_streams',
    'too_many_unauthenticated',
    'too_many_waiting',
  ],
  431: ['head_too_large'],
  500: ['internal_error'],
  503: ['comparison_too_large', 'identity_provider_unavailable', 'unavailable'],
  507: ['disk_full', 'store_full'],
} as const;

export type ErrorStatus = keyof typeof CODES;
/** A code, of a status where it is given. */
export type ErrorCode<Status extends ErrorStatus = ErrorStatus> = (typeof CODES)[Status][number];

const STATUSES = new Map<ErrorCode, ErrorStatus>(
  Object.entries(CODES).flatMap(([status, codes]) => codes.map((code) => [code, Number(status) as ErrorStatus])),
);

/** The status of a code. */
export function statusOf(code: ErrorCode): ErrorStatus {
  const status = STATUSES.get(code);
  if (status === undefined) throw new Error(`There is no code ${code}`);
  return status;
}

/** What clients know things as, with the code of what is not there. */
export const RESOURCES = {
  'API key': 'api_key_not_found',
  Budget: 'budget_not_found',
  Card: 'card_not_found',
  Conversation: 'conversation_not_found',
  Delivery: 'delivery_not_found',
  Deployment: 'deployment_not_found',
  Directory: 'directory_not_found',
  Execution: 'execution_not_found',
  File: 'file_not_found',
  Instructions: 'instructions_not_found',
  Member: 'member_not_found',
  Project: 'project_not_found',
  Scenario: 'scenario_not_found',
  Skill: 'skill_not_found',
  Snapshot: 'snapshot_not_found',
  Turn: 'turn_not_found',
  Upload: 'upload_not_found',
  User: 'user_not_found',
  Values: 'values_not_found',
  Webhook: 'webhook_not_found',
} as const satisfies Record<string, ErrorCode<404>>;

export type Resource = keyof typeof RESOURCES;
