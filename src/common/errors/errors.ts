import { toJsonText } from '../../../packages/json/index.js';
import { type ErrorCode, missingCode, type Resource, statusOf } from './codes.js';

/** Entry of the `detail` array of a 422, with its keys in the documented order. */
export interface ErrorEntry {
  /** Pydantic's name for the error, e.g. `missing`. */
  type: string;
  /** Location of the value: `path`, `query` or `body`, followed by property names and array indexes (integers). */
  loc: (string | number)[];
  msg: string;
  /** Rejected value as received. Null if it was absent. */
  input: unknown;
  ctx?: Record<string, unknown>;
}

/** Maximum number of entries in a 422 response. More entries would not be useful. */
export const MAX_ENTRIES = 100;
/** Maximum total size in bytes of all entries after the first. The first entry is always included. */
const MAX_FURTHER_BYTES = 64 * 1024;
/** Stack frames kept for an expected error: two constructors and their caller. */
const FRAMES = 3;
/** Maximum number of entries listed in an error's `message`, which is used only for debugging. */
const MAX_SUMMARIZED = 3;

/** Error that is sent to the client. The exception filter sends its status, headers and `{"detail": ..., "code": ...}`. */
export class DomainError extends Error {
  readonly status: number;

  /**
   * @param code null for validation errors, whose entries have a `type` instead
   * @param status overrides the status of the code
   */
  constructor(
    readonly code: ErrorCode | null,
    readonly detail: string | ErrorEntry[],
    readonly headers: Readonly<Record<string, string>> = {},
    status?: number,
  ) {
    const message = typeof detail === 'string' ? detail : summaryOf(detail);
    const httpStatus = status ?? (code === null ? 422 : statusOf(code));
    const { stackTraceLimit } = Error;
    // An expected error needs only its origin. Capturing the whole stack would cost more than the rest of the error.
    if (httpStatus < 500) Error.stackTraceLimit = FRAMES;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.status = httpStatus;
  }

  /** Returns the response body as JSON text. A 422 with many or large entries contains only the first of them. */
  body(): string {
    const { detail, code } = this;
    return typeof detail === 'string' ? JSON.stringify({ detail, code }) : `{"detail":${entriesText(detail)}}`;
  }
}

const summaryOf = (entries: ErrorEntry[]): string =>
  entries
    .slice(0, MAX_SUMMARIZED)
    .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    .join('; ');

function entriesText(entries: ErrorEntry[]): string {
  const texts: string[] = [];
  let remaining = MAX_FURTHER_BYTES;
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const text = toJsonText(entry);
    if (texts.length > 0) remaining -= Buffer.byteLength(text) + 1;
    if (remaining < 0) break;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

export class BadRequest extends DomainError {
  constructor(code: ErrorCode<400>, sentence: string) {
    super(code, sentence);
  }
}

/** Thrown if the credentials are missing or unusable. */
export class NotAuthenticated extends DomainError {
  constructor(code: ErrorCode<401>) {
    super(code, REFUSALS[code], { 'WWW-Authenticate': 'Bearer' });
  }
}

const REFUSALS: Record<ErrorCode<401>, string> = {
  not_authenticated: 'Not authenticated',
  credentials_invalid: 'Invalid authentication credentials',
};

/** Thrown if a budget has no credits left for the work. */
export class PaymentRequired extends DomainError {
  constructor(sentence: string) {
    super('budget_exhausted', sentence);
  }
}

export class Forbidden extends DomainError {
  constructor(code: ErrorCode<403>, sentence: string) {
    super(code, sentence);
  }
}

/** `new NotFound('Project')` reads `Project not found`. With a name it reads `File a.csv not found`. */
export class NotFound extends DomainError {
  constructor(resource: Resource, name?: string) {
    super(missingCode(resource), `${name === undefined ? resource : `${resource} ${name}`} not found`);
  }
}

/** Thrown if the path of the request does not exist. */
export class PathNotFound extends DomainError {
  constructor() {
    super('path_not_found', 'Not Found');
  }
}

export class MethodNotAllowed extends DomainError {
  constructor(allowed: readonly string[]) {
    super('method_not_allowed', 'Method Not Allowed', { Allow: allowed.join(', ') });
  }
}

export class Conflict extends DomainError {
  /** @param retryAfterSeconds set if the conflict may resolve itself */
  constructor(code: ErrorCode<409>, sentence: string, retryAfterSeconds?: number) {
    super(code, sentence, retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) });
  }
}

export class Gone extends DomainError {
  constructor(code: ErrorCode<410>, sentence: string) {
    super(code, sentence);
  }
}

/** Thrown if the resource has changed since the version that the caller's change is based on. */
export class PreconditionFailed extends DomainError {
  constructor(sentence: string) {
    super('precondition_failed', sentence);
  }
}

export class TooLarge extends DomainError {
  constructor(code: ErrorCode<413>, sentence: string) {
    super(code, sentence);
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor(code: ErrorCode<415>, sentence: string) {
    super(code, sentence);
  }
}

/** Thrown for invalid input. Services throw it for rules that cannot be checked from the request alone. */
export class Invalid extends DomainError {
  constructor(entries: ErrorEntry[]) {
    super(null, entries);
  }
}

export class TooManyRequests extends DomainError {
  constructor(code: ErrorCode<429>, sentence: string, retryAfterSeconds: number) {
    super(code, sentence, { 'Retry-After': String(Math.ceil(retryAfterSeconds)) });
  }
}

/** Thrown if the database, the file store or another dependency is temporarily unavailable. */
export class Unavailable extends DomainError {
  constructor(code: ErrorCode<503> = 'unavailable', sentence = 'Service Unavailable') {
    super(code, sentence);
  }
}

export class InsufficientStorage extends DomainError {
  constructor(code: ErrorCode<507>, sentence: string) {
    super(code, sentence);
  }
}

/** Returns the entry for a value that breaks one of our own rules. `text` states the rule, without a full stop. */
export function invalidValue(loc: ErrorEntry['loc'], text: string, input: unknown): ErrorEntry {
  return { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } };
}

/** Returns the entry for a missing required value. `input` is the object that lacks it. */
export function missing(loc: ErrorEntry['loc'], input: unknown): ErrorEntry {
  return { type: 'missing', loc, msg: 'Field required', input };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string has the format of an id. */
export const isId = (value: string): boolean => UUID.test(value);

/**
 * Converts an id to the form stored in the database.
 *
 * @throws NotFound for a malformed id, just as for an unknown id
 */
export function parseId(value: string, resource: Resource): string {
  if (!isId(value)) throw new NotFound(resource);
  return value.toLowerCase();
}
