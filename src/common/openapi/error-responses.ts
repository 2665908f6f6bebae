import { CODES, type ErrorCode, type ErrorStatus, sentenceOf, statusOf } from '../errors/codes.js';

const DESCRIPTIONS: Partial<Record<ErrorStatus, string>> = {
  400: 'The request cannot be processed',
  401: 'Not authenticated',
  402: 'A budget is exhausted',
  403: 'Not allowed',
  404: 'Not found',
  408: 'The body arrived too slowly',
  409: 'Conflict with the current state',
  410: 'Expired',
  412: 'The resource has changed since you read it',
  413: 'Too large',
  415: 'The body is compressed',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
  507: 'The file store is full',
};

/** Codes that every operation that requires credentials can return. */
const EVERY: ErrorCode[] = [
  'not_authenticated',
  'credentials_invalid',
  'rate_limited',
  'too_many_requests_at_once',
  'too_many_unauthenticated',
  'unavailable',
  'identity_provider_unavailable',
];
const BODY: ErrorCode[] = [
  'json_malformed',
  'value_not_storable',
  'body_cut_off',
  'body_too_large',
  'body_too_slow',
  'body_compressed',
];
const KEY: ErrorCode[] = ['idempotency_key_reused', 'request_under_way', 'answer_lost'];

/**
 * Error codes for path parameters that are not named after their resource. Operations with `user_id` declare their own codes.
 */
const PARAMETERS: Record<string, ErrorCode[]> = { name: ['deployment_not_found'], user_id: [] };

/** Returns the error codes for an unknown path parameter value: `card_not_found` for `card_id`. */
function codesOfParameter(name: string): ErrorCode[] {
  const derived = `${name.replace(/_id$/, '')}_not_found`;
  const codes = PARAMETERS[name] ?? CODES[404].filter((code) => code === derived);
  if (codes.length === 0 && !(name in PARAMETERS)) {
    throw new Error(`The path parameter {${name}} has no error code. Add ${derived} to src/common/errors/codes.ts.`);
  }
  return codes;
}

export interface DocumentedErrors {
  /** Codes declared by the operation itself. */
  own: readonly ErrorCode[];
  path: string;
  method: string;
  takesBody: boolean;
  onlyReads: boolean;
  isForCompany: boolean;
  isIdempotent: boolean;
}

/** Returns all error codes of an operation, the most specific first. */
export function codesOf(operation: DocumentedErrors): ErrorCode[] {
  const { own, path, takesBody, onlyReads, isForCompany, isIdempotent } = operation;
  const parameterCodes = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => codesOfParameter(name)).flat();
  const codes = new Set<ErrorCode>([
    ...own,
    ...parameterCodes.reverse(),
    // Also returned for parameter values that cannot occur in a path.
    ...(parameterCodes.length > 0 ? (['path_not_found'] as const) : []),
    ...(isForCompany ? (['company_level_required'] as const) : []),
    ...(!onlyReads && path.includes('{project_id}') ? (['editor_required'] as const) : []),
    ...(onlyReads ? [] : (['api_key_reads_only'] as const)),
    ...(takesBody ? BODY : []),
    ...(isIdempotent ? KEY : []),
    ...EVERY,
  ]);
  const statuses = new Set(Array.from(codes, statusOf));
  // Adds codes for database conflicts and full disks to operations that already return their status.
  if (statuses.has(409)) codes.add('request_conflict');
  if (statuses.has(507)) for (const code of CODES[507]) codes.add(code);
  return [...codes];
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' } },
};

/** Error response shared by operations that have the same codes for a status. */
export interface ErrorResponse {
  status: ErrorStatus;
  /** Key in the document's `components.responses`. */
  name: string;
  response: object;
}

/** Returns a response for each status among the given codes. Its example uses the first code. */
export function errorResponses(codes: readonly ErrorCode[]): ErrorResponse[] {
  return [...new Set(codes.map(statusOf))].map((status) => {
    const ofStatus = codes.filter((code) => statusOf(code) === status);
    const [first] = ofStatus as [ErrorCode];
    const response = {
      description: `${DESCRIPTIONS[status] ?? 'Error'}: ${ofStatus.map((code) => `\`${code}\``).join(', ')}`,
      ...(status === 429 && { headers: RETRY_AFTER }),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ErrorResponse' },
          example: { detail: sentenceOf(first), code: first },
        },
      },
      'x-error-codes': ofStatus,
    };
    return { status, name: ofStatus.join('.'), response };
  });
}

/** Response bodies of all errors other than validation errors. */
export const ERROR_SCHEMAS = {
  ErrorCode: {
    type: 'string',
    title: 'ErrorCode',
    description: 'Identifies the error for programs. A code never changes its meaning. New codes may be added.',
    enum: Object.values(CODES).flat().sort(),
    'x-extension': true,
  },
  ErrorResponse: {
    type: 'object',
    title: 'ErrorResponse',
    description: 'Body of every error other than a validation error.',
    properties: {
      detail: { type: 'string', title: 'Detail', description: 'Human-readable description of the error' },
      code: { $ref: '#/components/schemas/ErrorCode' },
    },
    required: ['detail', 'code'],
    'x-extension': true,
  },
};
