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

/** An answer other than success: the exception filter sends its status, headers and `{"detail": ...}`. */
export class DomainError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string | ErrorEntry[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.name = new.target.name;
  }
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
  constructor(sentence: string) {
    super(409, sentence);
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

/**
 * An id as the database takes it.
 *
 * @throws NotFound for anything that is no id, as for an id that nothing has.
 */
export function parseId(value: string, resource: string): string {
  if (!UUID.test(value)) throw new NotFound(resource);
  return value.toLowerCase();
}
