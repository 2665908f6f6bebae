import type { ErrorCode, ErrorStatus } from './error-codes.js';
import type { components } from './openapi.js';

/** What is wrong at one place of a request: where (`loc`), a sentence (`msg`) and a kind (`type`). */
export type ValidationEntry = components['schemas']['ValidationError'];

/** The request that an error is about. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * The service has answered that it did not do what it was asked. Each kind of answer has a class of its own; of this class
 * itself are those that only a later version of the service, or a proxy before it, gives.
 */
export class ServiceError<Status extends ErrorStatus = ErrorStatus> extends Error {
  override name = 'ServiceError';
  /** Status of the answer. */
  readonly status: number;
  /** For programs: never changes its meaning. Absent where failed validation or a proxy answered. */
  readonly code: ErrorCode<Status> | undefined;
  /** For people: a sentence. */
  readonly detail: string;
  /** Seconds after which the service asks to try again. */
  readonly retryAfter: number | undefined;
  /** What the service's log knows the request by. */
  readonly requestId: string | undefined;
  /** Method and URL of the request. */
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

/** The request itself cannot be processed (400, 405, 408, 414 to 417, 431). */
export class BadRequestError extends ServiceError<400 | 405 | 408 | 414 | 415 | 416 | 417 | 431> {
  override name = 'BadRequestError';
}

/** No token, or one that is not valid, not even one that was asked for anew (401). */
export class AuthenticationError extends ServiceError<401> {
  override name = 'AuthenticationError';
}

/** A budget is used up (402). */
export class BudgetExhaustedError extends ServiceError<402> {
  override name = 'BudgetExhaustedError';
}

/** The caller may not do this (403). */
export class ForbiddenError extends ServiceError<403> {
  override name = 'ForbiddenError';
}

/** There is no such thing, or the caller may not see it (404). */
export class NotFoundError extends ServiceError<404> {
  override name = 'NotFoundError';
}

/** What is asked for does not go with the present state (409). */
export class ConflictError extends ServiceError<409> {
  override name = 'ConflictError';
}

/** It was there and is over (410). */
export class GoneError extends ServiceError<410> {
  override name = 'GoneError';
}

/** It has changed since the caller read it: the tag of `If-Match` is an old one (412). */
export class PreconditionFailedError extends ServiceError<412> {
  override name = 'PreconditionFailedError';
}

/** Too large, or too much of it (413). */
export class TooLargeError extends ServiceError<413> {
  override name = 'TooLargeError';
}

/** The request does not fit its schema or its rules (422). */
export class ValidationError extends ServiceError<never> {
  override name = 'ValidationError';
  /** What is wrong, place by place. */
  readonly entries: readonly ValidationEntry[];

  constructor(response: Response, entries: readonly ValidationEntry[]) {
    super(response, { detail: entries.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') });
    this.entries = entries;
  }
}

/** Too many requests, streams or waiting messages; `retryAfter` says when to come again (429). */
export class TooManyRequestsError extends ServiceError<429> {
  override name = 'TooManyRequestsError';
}

/** A fault of the service (500). */
export class InternalServerError extends ServiceError<500> {
  override name = 'InternalServerError';
}

/** The service, or what it stands on, is not there at the moment (503). */
export class UnavailableError extends ServiceError<503> {
  override name = 'UnavailableError';
}

/** The service has no room left to store it (507). */
export class InsufficientStorageError extends ServiceError<507> {
  override name = 'InsufficientStorageError';
}

/** No answer, or not a whole one: whether the request has taken effect is not known. `cause` says what has happened. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  /** Method and URL of the request; absent if the connection broke later, in a stream. */
  request: RequestLine | undefined;
}

type ErrorClass = new (response: Response, said: { detail: string; code?: string | undefined }) => ServiceError;

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

/** The error that an answer without success is. @param body as it was received: parsed JSON, else text */
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

/** Of a `Retry-After`, which the service gives in seconds and a proxy perhaps as a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
