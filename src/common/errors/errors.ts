import { toJsonText } from '../../../packages/json/index.js';
import { type ErrorCode, missingCode, type Resource, statusOf } from './codes.js';

/** One entry of the `detail` array of a 422, with its keys in the documented order. */
export interface ErrorEntry {
  /** Pydantic's name of the error, e.g. `missing`. */
  type: string;
  /** Where the value stands: `path`, `query` or `body`, then names, and integers for array indexes. */
  loc: (string | number)[];
  msg: string;
  /** The refused value as it was received; null when there was none. */
  input: unknown;
  ctx?: Record<string, unknown>;
}

/** Most entries of a 422; nobody reads more. */
export const MAX_ENTRIES = 100;
/** Most bytes of its entries beyond the first one, which is always shown. */
const MAX_FURTHER_BYTES = 64 * 1024;
/** Frames of the stack of a refusal: two constructors, and who called them. */
const FRAMES = 3;
/** Most entries that the message of an error tells of, for people who debug. */
const MAX_TOLD = 3;

/** An answer other than success: the exception filter sends its status, headers and `{"detail": ..., "code": ...}`. */
export class DomainError extends Error {
  readonly status: number;

  /**
   * @param code null of a failed validation, whose entries have types of their own
   * @param status that of the code, unless somebody else has decided it
   */
  constructor(
    readonly code: ErrorCode | null,
    readonly detail: string | ErrorEntry[],
    readonly headers: Readonly<Record<string, string>> = {},
    status?: number,
  ) {
    const message = typeof detail === 'string' ? detail : told(detail);
    const answered = status ?? (code === null ? 422 : statusOf(code));
    const { stackTraceLimit } = Error;
    // Of a refusal it is enough to know where it was made: to find out the whole stack costs more than all the rest of it.
    if (answered < 500) Error.stackTraceLimit = FRAMES;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.status = answered;
  }

  /** JSON text of the answer; of a 422 with many or large entries the first ones. */
  body(): string {
    const { detail, code } = this;
    return typeof detail === 'string' ? JSON.stringify({ detail, code }) : `{"detail":${entriesText(detail)}}`;
  }
}

const told = (entries: ErrorEntry[]): string =>
  entries
    .slice(0, MAX_TOLD)
    .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    .join('; ');

function entriesText(entries: ErrorEntry[]): string {
  const shown: string[] = [];
  let left = MAX_FURTHER_BYTES;
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const text = toJsonText(entry);
    if (shown.length > 0) left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    shown.push(text);
  }
  return `[${shown.join(',')}]`;
}

export class BadRequest extends DomainError {
  constructor(code: ErrorCode<400>, sentence: string) {
    super(code, sentence);
  }
}

/** No usable credentials. */
export class NotAuthenticated extends DomainError {
  constructor(code: ErrorCode<401>) {
    super(code, REFUSALS[code], { 'WWW-Authenticate': 'Bearer' });
  }
}

const REFUSALS: Record<ErrorCode<401>, string> = {
  not_authenticated: 'Not authenticated',
  credentials_invalid: 'Invalid authentication credentials',
};

/** Work that a budget has no credits left for. */
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

/** `new NotFound('Project')` answers `Project not found`; with a name `File a.csv not found`. */
export class NotFound extends DomainError {
  constructor(resource: Resource, name?: string) {
    super(missingCode(resource), `${name === undefined ? resource : `${resource} ${name}`} not found`);
  }
}

/** Nothing is at the path of the request. */
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
  /** @param retryAfterSeconds when it may be over by itself */
  constructor(code: ErrorCode<409>, sentence: string, retryAfterSeconds?: number) {
    super(code, sentence, retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) });
  }
}

export class Gone extends DomainError {
  constructor(code: ErrorCode<410>, sentence: string) {
    super(code, sentence);
  }
}

/** What the caller has based a change on is not what is there any more. */
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

/** Input that failed validation; services throw it for rules that need more than the request to check. */
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

/** The database or the file store is out of reach, or something else that may work again later. */
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

/** The entry of a value that breaks a rule of ours; the rule in words, without a full stop. */
export function invalidValue(loc: ErrorEntry['loc'], text: string, input: unknown): ErrorEntry {
  return { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } };
}

/** The entry of something required that is not there; `input` is the object that lacks it. */
export function missing(loc: ErrorEntry['loc'], input: unknown): ErrorEntry {
  return { type: 'missing', loc, msg: 'Field required', input };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is an id; nothing has one that is not. */
export const isId = (value: string): boolean => UUID.test(value);

/**
 * An id as the database takes it.
 *
 * @throws NotFound for anything that is no id, as for an id that nothing has.
 */
export function parseId(value: string, resource: Resource): string {
  if (!isId(value)) throw new NotFound(resource);
  return value.toLowerCase();
}
