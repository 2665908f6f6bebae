/**
 * Every error code by status, each with a sample sentence. Validation errors have no code. Codes are for programs, and their
 * meaning never changes. Sentences are for people. Actual responses may name different objects and numbers.
 */
export const SENTENCES = {
  400: {
    body_cut_off: 'The request body is incomplete',
    etag_mismatch: 'The etag of part 2 does not match the stored part; send the part again',
    host_invalid: 'The Host header is missing, repeated or invalid',
    json_malformed: 'There was an error parsing the body',
    part_changed: 'A part has changed in the meantime; get the upload status and complete the upload again',
    part_missing: 'Part 2 was not received; send it to its URL first',
    part_repeated: 'Part 2 is listed twice; list each part once',
    part_too_small: 'Part 1 is too small: every part except the last must have at least 5242880 bytes; send it again',
    request_malformed: 'The request is not valid HTTP',
    request_refused: 'Bad Request',
    size_mismatch:
      'The parts have 700 bytes in total, but 812 were declared; send the missing bytes or abort the upload',
    value_not_storable: 'The request contains a value that cannot be stored',
  },
  401: {
    credentials_invalid: 'Invalid authentication credentials',
    not_authenticated: 'Not authenticated',
  },
  402: {
    budget_exhausted: "This company's monthly budget of 100 credits is used up and resets at 2026-12-01T00:00:00.000Z",
  },
  403: {
    api_key_limited: 'An API key that is limited to certain projects cannot create projects',
    api_key_reads_only: 'This API key is read-only',
    api_key_revoked: 'The API key that started this upload is no longer valid',
    company_level_required: 'Only company-level callers can use this operation',
    editor_required: 'A viewer cannot change the project',
    key_above_creator: 'An API key cannot have a higher role than its creator',
    owner_required: 'Only project owners and company-level callers can use this operation',
    snapshot_immutable: 'A snapshot cannot be changed',
    url_expired: 'This URL has expired',
    url_signature_invalid: 'The signature of this URL is invalid',
    user_required: 'Only users can create API keys',
  },
  404: {
    api_key_not_found: 'API key not found',
    budget_not_found: 'Budget not found',
    card_not_found: 'Card not found',
    conversation_not_found: 'Conversation not found',
    delivery_not_found: 'Delivery not found',
    deployment_not_found: 'Deployment not found',
    directory_not_found: 'Directory not found',
    execution_not_found: 'Execution not found',
    file_not_found: 'File not found',
    instructions_not_found: 'Instructions not found',
    member_not_found: 'Member not found',
    path_not_found: 'Not Found',
    project_not_found: 'Project not found',
    scenario_not_found: 'Scenario not found',
    skill_not_found: 'Skill not found',
    snapshot_not_found: 'Snapshot not found',
    turn_not_found: 'Turn not found',
    upload_not_found: 'Upload not found',
    user_not_found: 'User not found',
    values_not_found: 'Values not found',
    webhook_not_found: 'Webhook not found',
  },
  405: {
    method_not_allowed: 'Method Not Allowed',
  },
  408: {
    body_too_slow: 'The request body took too long to arrive',
    request_too_slow: 'The request took too long to arrive',
  },
  409: {
    answer_lost: 'The request was processed, but its response can no longer be read',
    canvas_full: 'A canvas can have at most 500 cards',
    client_msg_id_reused: 'A different message was already posted with this client_msg_id',
    container_mismatch: 'The upload was started for another container; complete it there or start a new one',
    default_conversation: 'The default conversation cannot be deleted',
    deployment_exists: 'A deployment with this name already exists',
    directory_in_the_way: 'A directory already exists at reports',
    directory_not_empty: 'The directory is not empty',
    execution_has_no_plan: 'The execution has no plan',
    execution_over: 'The execution has already ended: succeeded',
    file_in_the_way: 'A file already exists at demand.csv',
    idempotency_key_reused: 'This Idempotency-Key was already used for a different request; use a new one',
    inputs_not_kept: 'The inputs of the execution were not stored, so it cannot be repeated',
    last_owner: 'A project needs an owner; make another member an owner first',
    no_origin: 'The project has no deployment to pull from; name one in from_deployment',
    part_sent_again: 'The part is being sent again, or its upload has ended',
    request_conflict: 'The request conflicts with another request',
    request_under_way: 'A request with this Idempotency-Key is still in progress; try again later',
    scenario_exists: 'A scenario with this name already exists',
    snapshot_in_use: 'The current snapshot cannot be deleted; take another snapshot first',
    too_many_api_keys: 'A user can have at most 100 valid API keys; revoke one first',
    too_many_budgets: 'A company can have at most 1000 budgets; delete one first',
    too_many_members: 'A project can have at most 1000 members; remove one first',
    too_many_scenarios: 'A project can have at most 100 scenarios; delete one first',
    too_many_snapshots: 'A project can have at most 100 snapshots; delete one first',
    too_many_webhooks: 'A company can have at most 20 webhooks; delete one first',
    tree_full: 'A workspace can have at most 20000 files and directories; delete some first',
    upload_aborted: 'The upload was aborted; start a new one',
    upload_assembled: 'The parts are already assembled; complete or abort the upload',
    upload_being_completed: 'Another request is completing the upload; try again later',
    upload_completed: 'The upload is already completed',
    version_conflict: 'The card has changed: its version is 3, not 2',
    webhook_inactive: 'The webhook is inactive',
  },
  410: {
    upload_expired: 'The upload has expired; start a new one',
    upload_parts_gone: 'The parts of the upload are gone; start a new one',
  },
  412: {
    precondition_failed: 'The resource has changed since the version in If-Match; read it again',
  },
  413: {
    body_too_large: 'The request body must not exceed 1048576 bytes',
    company_storage_full: "The company's files must not exceed 1099511627776 bytes in total",
    content_too_large: 'The texts are too large: together they must not exceed 16777216 bytes',
    file_too_large: 'A file must not exceed 5368709120 bytes',
    part_too_large: 'This part must not exceed 16777216 bytes',
    too_many_uploads: 'The company has 100 open uploads; complete or abort one first',
  },
  414: {
    url_too_long: 'The URL must not exceed 8192 characters',
  },
  415: {
    body_compressed: 'The request body must not be compressed',
  },
  416: {
    range_not_satisfiable: 'The requested range is outside the file',
  },
  417: {
    expectation_failed: 'The only supported expectation is 100-continue',
  },
  429: {
    rate_limited: 'The limit of 600 requests per minute is exceeded; try again later',
    too_many_executions: 'The company already has 20 waiting executions; try again later',
    too_many_requests_at_once: 'Too many requests at once; wait for responses before you send more',
    too_many_streams: '20 streams are already open; close one first',
    too_many_unauthenticated: 'Too many requests without valid credentials from this address; try again later',
    too_many_waiting: '20 messages are already waiting for the agent; try again later',
  },
  431: {
    head_too_large: 'The request line and headers must not exceed 16384 bytes',
  },
  500: {
    internal_error: 'Internal Server Error',
  },
  503: {
    comparison_too_large: 'These plans are too large to compare',
    identity_provider_unavailable: 'The keys of the identity provider cannot be fetched; try again later',
    unavailable: 'Service Unavailable',
  },
  507: {
    disk_full: 'The disk of the service is full',
    store_full: 'The file store is full',
  },
} as const;

export type ErrorStatus = keyof typeof SENTENCES;
/** Error code, optionally limited to the codes of one status. */
export type ErrorCode<Status extends ErrorStatus = ErrorStatus> = {
  [One in Status]: keyof (typeof SENTENCES)[One];
}[Status];

/** All codes by status. */
export const CODES = Object.fromEntries(
  Object.entries(SENTENCES).map(([status, sentences]) => [status, Object.keys(sentences)]),
) as { [Status in ErrorStatus]: ErrorCode<Status>[] };

/** Returns the sample sentence of an error code. */
export const sentenceOf = (code: ErrorCode): string => (SENTENCES[statusOf(code)] as Record<ErrorCode, string>)[code];

const STATUSES = new Map<ErrorCode, ErrorStatus>(
  Object.entries(CODES).flatMap(([status, codes]) => codes.map((code) => [code, Number(status) as ErrorStatus])),
);

export function statusOf(code: ErrorCode): ErrorStatus {
  const status = STATUSES.get(code);
  if (status === undefined) throw new Error(`There is no code ${code}`);
  return status;
}

type ResourceOf<Sentence> = Sentence extends `${infer Name} not found` ? Name : never;

/** Resource name in a 404 sentence: `Project` in `Project not found`. */
export type Resource = ResourceOf<(typeof SENTENCES)[404][ErrorCode<404>]>;

export function missingCode(resource: Resource): ErrorCode<404> {
  const code = CODES[404].find((one) => sentenceOf(one) === `${resource} not found`);
  if (code === undefined) throw new Error(`There is no code for a missing ${resource}`);
  return code;
}
