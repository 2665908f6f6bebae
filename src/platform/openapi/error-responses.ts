import { CODES, type ErrorCode, type ErrorStatus, statusOf } from '../errors/codes.js';

const DESCRIPTIONS: Partial<Record<ErrorStatus, string>> = {
  400: 'The request cannot be processed',
  401: 'Not authenticated',
  402: 'A budget is used up',
  403: 'Not allowed',
  404: 'Not found',
  408: 'The body took too long',
  409: 'Conflict with the current state',
  410: 'Expired',
  412: 'Changed meanwhile',
  413: 'Too large',
  415: 'The body is compressed',
  429: 'Too many requests',
  503: 'The database or the file store is unavailable',
  507: 'The file store is full',
};

/** Every request, with limits of its own beside the caller's limit for all requests. */
const EVERY: ErrorCode[] = [
  ...CODES[401],
  'identity_provider_unavailable',
  'rate_limited',
  'too_many_requests_at_once',
  'too_many_unauthenticated',
  'unavailable',
];
const BODY: ErrorCode[] = [
  'body_compressed',
  'body_cut_off',
  'body_too_large',
  'body_too_slow',
  'json_malformed',
  'value_not_storable',
];
const KEY: ErrorCode[] = ['answer_lost', 'idempotency_key_reused', 'request_under_way'];

/** What is not there when a parameter of the path names nothing. */
const PARAMETERS: Record<string, ErrorCode> = {
  api_key_id: 'api_key_not_found',
  budget_id: 'budget_not_found',
  webhook_id: 'webhook_not_found',
  delivery_id: 'delivery_not_found',
  card_id: 'card_not_found',
  conversation_id: 'conversation_not_found',
  execution_id: 'execution_not_found',
  name: 'deployment_not_found',
  project_id: 'project_not_found',
  scenario_id: 'scenario_not_found',
  skill: 'skill_not_found',
  snapshot_id: 'snapshot_not_found',
};

export interface DocumentedErrors {
  /** What the operation says of itself. */
  own: readonly ErrorCode[];
  path: string;
  method: string;
  takesBody: boolean;
  onlyReads: boolean;
  isForCompany: boolean;
  isIdempotent: boolean;
}

/** All codes that an operation answers. */
export function codesOf(operation: DocumentedErrors): ErrorCode[] {
  const { own, path, takesBody, onlyReads, isForCompany, isIdempotent } = operation;
  const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => PARAMETERS[name] ?? []).flat();
  const codes = new Set<ErrorCode>([
    ...EVERY,
    ...own,
    ...named,
    ...(takesBody ? BODY : []),
    ...(isIdempotent ? KEY : []),
    ...(isForCompany ? (['company_level_required'] as const) : []),
    ...(onlyReads ? [] : (['api_key_reads_only'] as const)),
    ...(!onlyReads && path.includes('{project_id}') ? (['editor_required'] as const) : []),
  ]);
  // Also of a name that no path can have.
  if (named.length > 0) codes.add('path_not_found');
  const statuses = new Set(Array.from(codes, statusOf));
  // What the database and the disks tell by themselves.
  if (statuses.has(409)) codes.add('request_conflict');
  if (statuses.has(507)) for (const code of CODES[507]) codes.add(code);
  return [...codes];
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };

/** The responses of codes, by status. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, object> {
  const statuses = [...new Set(codes.map(statusOf))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? 'Error',
        ...(status === 429 && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
        'x-error-codes': codes.filter((code) => statusOf(code) === status).sort(),
      },
    ]),
  );
}

/** Bodies of errors other than failed validation. */
export const ERROR_SCHEMAS = {
  ErrorCode: {
    type: 'string',
    title: 'ErrorCode',
    description: 'What is wrong, for programs. A code never changes its meaning; new ones may come.',
    enum: Object.values(CODES).flat().sort(),
    'x-extension': true,
  },
  ErrorResponse: {
    type: 'object',
    title: 'ErrorResponse',
    description: 'Every error other than failed validation.',
    properties: {
      detail: { type: 'string', title: 'Detail', description: 'What is wrong, in a sentence' },
      code: { $ref: '#/components/schemas/ErrorCode' },
    },
    required: ['detail', 'code'],
    'x-extension': true,
  },
};
