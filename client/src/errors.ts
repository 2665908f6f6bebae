import type { ErrorCode, ErrorStatus } from './error-codes.js';
import type { components } from './openapi.js';

/** Validation error: its location in the request (`loc`), a message (`msg`) and an error type (`type`). */
export type ValidationEntry = components['schemas']['ValidationError'];

/** Request that caused an error. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * Error response from the service. Each documented status has its own subclass. Instances of the base class come only from
 * later service versions or from a proxy.
 */
export class ServiceError<Status extends ErrorStatus = ErrorStatus> extends Error {
  override name = 'ServiceError';
  /** HTTP status. */
  readonly status: number;
  /** Machine-readable code whose meaning never changes. Absent for validation errors and responses from a proxy. */
  readonly code: ErrorCode<Status> | undefined;
  /** Human-readable sentence. */
  readonly detail: string;
  /** Seconds to wait before retrying, as requested by the service. */
  readonly retryAfter: number | undefined;
  /** Request id in the service's log. */
  readonly requestId: string | undefined;
  request: RequestLine | undefined;

  constructor(response: Response, { detail, code }: { detail: string; code?: string | undefined }) {
    super(detail);
    this.status = response.status;
    this.code = code as ErrorCode<Status> | undefined;
    this.detail = detail;
    this.retryAfter = secondsOf(response.headers.get('retry-after'));
    this.requestId = response.headers.get('x-request-id') ?? undefined;
  }
}

/** The service cannot process the request (400, 405, 408, 414 to 417, 431). */
export class BadRequestError extends ServiceError<400 | 405 | 408 | 414 | 415 | 416 | 417 | 431> {
  override name = 'BadRequestError';
}

/** The token is missing or invalid, even after it was renewed (401). */
export class AuthenticationError extends ServiceError<401> {
  override name = 'AuthenticationError';
}

/** The budget is used up (402). */
export class BudgetExhaustedError extends ServiceError<402> {
  override name = 'BudgetExhaustedError';
}

/** The caller lacks permission (403). */
export class ForbiddenError extends ServiceError<403> {
  override name = 'ForbiddenError';
}

/** The resource does not exist, or the caller has no access to it (404). */
export class NotFoundError extends ServiceError<404> {
  override name = 'NotFoundError';
}

/** The request conflicts with the current state (409). */
export class ConflictError extends ServiceError<409> {
  override name = 'ConflictError';
}

/** The resource has expired or was removed (410). */
export class GoneError extends ServiceError<410> {
  override name = 'GoneError';
}

/** The resource has changed since the caller read it, so the `If-Match` tag is outdated (412). */
export class PreconditionFailedError extends ServiceError<412> {
  override name = 'PreconditionFailedError';
}

/** The request is too large (413). */
export class TooLargeError extends ServiceError<413> {
  override name = 'TooLargeError';
}

/** The request violates its schema or a validation rule (422). */
export class ValidationError extends ServiceError<never> {
  override name = 'ValidationError';
  /** Validation errors, each with its location in the request. */
  readonly entries: readonly ValidationEntry[];

  constructor(response: Response, entries: readonly ValidationEntry[]) {
    super(response, { detail: entries.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') });
    this.entries = entries;
  }
}

/** Too many requests, streams or queued messages (429). `retryAfter` is the time to wait. */
export class TooManyRequestsError extends ServiceError<429> {
  override name = 'TooManyRequestsError';
}

/** Internal error in the service (500). */
export class InternalServerError extends ServiceError<500> {
  override name = 'InternalServerError';
}

/** The service or one of its dependencies is temporarily unavailable (503). */
export class UnavailableError extends ServiceError<503> {
  override name = 'UnavailableError';
}

/** The service has run out of storage (507). */
export class InsufficientStorageError extends ServiceError<507> {
  override name = 'InsufficientStorageError';
}

/**
 * The response is missing or incomplete, so the request may or may not have taken effect. `cause` contains the original error.
 */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  /** Method and URL of the request. Absent if an open stream was interrupted. */
  request: RequestLine | undefined;
}

type ErrorClass = new (response: Response, body: { detail: string; code?: string | undefined }) => ServiceError;

const CLASSES = {
  400: BadRequestError,
  401: AuthenticationError,
  402: BudgetExhaustedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: BadRequestError,
  408: BadRequestError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  413: TooLargeError,
  414: BadRequestError,
  415: BadRequestError,
  416: BadRequestError,
  417: BadRequestError,
  429: TooManyRequestsError,
  431: BadRequestError,
  500: InternalServerError,
  503: UnavailableError,
  507: InsufficientStorageError,
} as const satisfies Record<ErrorStatus, ErrorClass>;

/** Creates the error for an unsuccessful response. @param body as received: parsed JSON or text */
export function errorOf(response: Response, body: unknown): ServiceError {
  const { detail, code } = (typeof body === 'object' && body !== null ? body : {}) as {
    detail?: unknown;
    code?: unknown;
  };
  if (response.status === 422 && Array.isArray(detail))
    return new ValidationError(response, detail as ValidationEntry[]);
  const Class = (CLASSES as Partial<Record<number, ErrorClass>>)[response.status] ?? ServiceError;
  return new Class(response, {
    detail: typeof detail === 'string' ? detail : `${response.status} ${response.statusText}`.trim(),
    code: typeof code === 'string' ? code : undefined,
  });
}

/** Parses `Retry-After`. The service sends seconds, but a proxy may send a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
