/**
 * Every error code by status, each with a sample sentence. Failed validation has no code. Codes are for programs and never change
 * their meaning. Sentences are for people and may name other objects or numbers than the samples.
 */
export const SENTENCES = {
  400: {
    body_cut_off: 'The body was cut off',
    etag_mismatch: 'The etag of part 2 is not the one the store answered; send the part again',
    host_invalid: 'The Host header is missing, repeated or not a host',
    json_malformed: 'There was an error parsing the body',
    part_changed: 'A part has changed meanwhile; look at the status and complete again',
    part_missing: 'Part 2 was not received; send it to its URL first',
    part_repeated: 'Part 2 is named twice; name each part once',
    part_too_small: 'Part 1 is too small: every part but the last has at least 5242880 bytes; send it again',
    request_malformed: 'The request is not valid HTTP',
    request_refused: 'Bad Request',
    size_mismatch: 'The parts have 700 bytes together, but 812 were declared; send what is missing or abort the upload',
    value_not_storable: 'The request holds a value that cannot be stored',
  },
  401: {
    credentials_invalid: 'Invalid authentication credentials',
    not_authenticated: 'Not authenticated',
  },
  402: {
    budget_exhausted: 'The monthly budget of 100 credits of this company is used up until 2026-12-01T00:00:00.000Z',
  },
  403: {
    api_key_limited: 'An API key for certain projects creates no others',
    api_key_reads_only: 'This API key may only read',
    api_key_revoked: 'The API key that has opened this upload is not valid any more',
    company_level_required: 'This operation is for company-level callers only',
    editor_required: 'A viewer of a project changes nothing in it',
    key_above_creator: 'A key cannot be above its creator',
    owner_required: 'This operation is for owners of the project and company-level callers only',
    snapshot_immutable: 'A snapshot cannot be changed',
    url_expired: 'This URL has expired',
    url_signature_invalid: 'The signature of this URL is not valid',
    user_required: 'Only users create API keys',
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
    body_too_slow: 'The body took too long',
    request_too_slow: 'The request took too long',
  },
  409: {
    answer_lost: 'The request was carried out, but its answer can no longer be read',
    canvas_full: 'A canvas has at most 500 cards',
    client_msg_id_reused: 'Another message was posted under this client_msg_id',
    container_mismatch: 'The upload was started for another container; complete it there or start a new one',
    default_conversation: 'The default conversation cannot be deleted',
    deployment_exists: 'A deployment of this name exists already',
    directory_in_the_way: 'A directory is in the way: reports',
    directory_not_empty: 'The directory is not empty',
    execution_has_no_plan: 'The execution has no plan',
    execution_over: 'The execution is over: succeeded',
    file_in_the_way: 'A file is in the way: demand.csv',
    idempotency_key_reused: 'Another request was sent with this Idempotency-Key; use a new one',
    inputs_not_kept: 'What the execution has solved was not kept',
    last_owner: 'A project has an owner; make another member one first',
    no_origin: 'The project has no deployment to pull from; name one in from_deployment',
    part_sent_again: 'The part is being sent again, or its upload is over',
    request_conflict: 'The request is in conflict with another one',
    request_under_way: 'A request with this Idempotency-Key is still under way; ask again',
    scenario_exists: 'A scenario of this name exists already',
    snapshot_in_use: 'The current snapshot cannot be deleted; take another one first',
    too_many_api_keys: 'A user has at most 100 valid API keys; revoke one first',
    too_many_budgets: 'The company has 1000 budgets already',
    too_many_members: 'A project has at most 1000 members; remove one first',
    too_many_scenarios: 'A project has at most 100 scenarios; delete one first',
    too_many_snapshots: 'A project has at most 100 snapshots; delete one first',
    too_many_webhooks: 'A company has at most 20 webhooks; delete one first',
    tree_full: 'A workspace has at most 20000 files and directories; delete some first',
    upload_aborted: 'The upload was aborted; start a new one',
    upload_assembled: 'The parts are put together already; complete or abort the upload',
    upload_being_completed: 'The upload is being completed by another request; ask again',
    upload_completed: 'The upload is completed',
    version_conflict: 'The card has changed: it is at version 3, not 2',
    webhook_inactive: 'The webhook is inactive',
  },
  410: {
    upload_expired: 'The upload has expired; start a new one',
    upload_parts_gone: 'The parts of the upload are gone; start a new one',
  },
  412: {
    precondition_failed: 'It has changed since the version that If-Match names: read it again',
  },
  413: {
    body_too_large: 'The body may have at most 1048576 bytes',
    company_storage_full: 'The company may keep at most 1099511627776 bytes of files',
    content_too_large: 'Too much to be read as text: at most 16777216 bytes together',
    file_too_large: 'A file may have at most 5368709120 bytes',
    part_too_large: 'This part may have at most 16777216 bytes',
    too_many_uploads: 'The company has 100 open uploads; complete or abort one first',
  },
  414: {
    url_too_long: 'The URL may have at most 8192 characters',
  },
  415: {
    body_compressed: 'The body must not be compressed',
  },
  416: {
    range_not_satisfiable: 'The range is not in the file',
  },
  417: {
    expectation_failed: 'The only expectation that can be met is 100-continue',
  },
  429: {
    rate_limited: 'At most 600 requests a minute are served',
    too_many_executions: 'The company has 20 executions waiting already',
    too_many_requests_at_once: 'Too many requests at once: wait for answers before sending more',
    too_many_streams: '20 streams are open already',
    too_many_unauthenticated: 'Too many requests without valid credentials from this address',
    too_many_waiting: '20 messages wait for the agent already',
  },
  431: {
    head_too_large: 'The head of the request may have at most 16384 bytes',
  },
  500: {
    internal_error: 'Internal Server Error',
  },
  503: {
    comparison_too_large: 'These plans are too large to be compared',
    identity_provider_unavailable: 'The keys of the identity provider are out of reach',
    unavailable: 'Service Unavailable',
  },
  507: {
    disk_full: 'The disk of the service is full',
    store_full: 'The file store is full',
  },
} as const;

export type ErrorStatus = keyof typeof SENTENCES;
/** Error code, optionally limited to a status. */
export type ErrorCode<Status extends ErrorStatus = ErrorStatus> = {
  [One in Status]: keyof (typeof SENTENCES)[One];
}[Status];

/** All codes by status. */
export const CODES = Object.fromEntries(
  Object.entries(SENTENCES).map(([status, sentences]) => [status, Object.keys(sentences)]),
) as { [Status in ErrorStatus]: ErrorCode<Status>[] };

/** Returns a typical sentence for an error with this code. */
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

/** Returns the 404 code of a resource. */
export function missingCode(resource: Resource): ErrorCode<404> {
  const code = CODES[404].find((one) => sentenceOf(one) === `${resource} not found`);
  if (code === undefined) throw new Error(`There is no code for a missing ${resource}`);
  return code;
}
