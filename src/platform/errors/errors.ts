import { toJsonText } from '../json/json.js';

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
/** Most entries that the message of an error tells of, for people who debug. */
const MAX_TOLD = 3;

/** An answer other than success: the exception filter sends its status, headers and `{"detail": ...}`. */
export class DomainError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string | ErrorEntry[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : told(detail));
    this.name = new.target.name;
  }

  /** JSON text of the answer; of a 422 with many or large entries the first ones. */
  body(): string {
    const { detail } = this;
    return `{"detail":${typeof detail === 'string' ? JSON.stringify(detail) : entriesText(detail)}}`;
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
  constructor(sentence: string) {
    super(400, sentence);
  }
}

/** No usable credentials: `Not authenticated`, or `Invalid authentication credentials`. */
export class NotAuthenticated extends DomainError {
  constructor(sentence: string) {
    super(401, sentence, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** Work that a budget has no credits left for. */
export class PaymentRequired extends DomainError {
  constructor(sentence: string) {
    super(402, sentence);
  }
}

export class Forbidden extends DomainError {
  constructor(sentence: string) {
    super(403, sentence);
  }
}

/** `new NotFound('Project')` answers `Project not found`. */
export class NotFound extends DomainError {
  constructor(resource: string) {
    super(404, `${resource} not found`);
  }
}

export class MethodNotAllowed extends DomainError {
  constructor(allowed: readonly string[]) {
    super(405, 'Method Not Allowed', { Allow: allowed.join(', ') });
  }
}

export class Conflict extends DomainError {
  constructor(sentence: string, retryAfterSeconds?: number) {
    super(409, sentence, retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) });
  }
}

export class Gone extends DomainError {
  constructor(sentence: string) {
    super(410, sentence);
  }
}

export class TooLarge extends DomainError {
  constructor(sentence: string) {
    super(413, sentence);
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor(sentence: string) {
    super(415, sentence);
  }
}

/** Input that failed validation; services throw it for rules that need more than the request to check. */
export class Invalid extends DomainError {
  constructor(entries: ErrorEntry[]) {
    super(422, entries);
  }
}

export class TooManyRequests extends DomainError {
  constructor(sentence: string, retryAfterSeconds: number) {
    super(429, sentence, { 'Retry-After': String(Math.ceil(retryAfterSeconds)) });
  }
}

/** The database or the file store is out of reach. */
export class Unavailable extends DomainError {
  constructor(sentence = 'Service Unavailable') {
    super(503, sentence);
  }
}

export class InsufficientStorage extends DomainError {
  constructor(sentence: string) {
    super(507, sentence);
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
export function parseId(value: string, resource: string): string {
  if (!isId(value)) throw new NotFound(resource);
  return value.toLowerCase();
}
