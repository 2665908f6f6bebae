import { APICallError } from 'ai';
import { PROVIDER_SENTENCES } from '../turn-sentences.js';
import { isRecord } from './json-values.js';

/** Failure of the model provider. `message` is a sentence for the user and never quotes the provider. */
export class ProviderFault extends Error {
  constructor(
    message: string,
    readonly details: {
      /** Whether a retry of the same request may succeed. */
      isTransient: boolean;
      status?: number | undefined;
      /** Error code from the provider, such as `insufficient_quota`. */
      code?: string | undefined;
      /** Request id assigned by the provider. */
      requestId?: string | undefined;
      /** Delay that the provider asks for before a retry, in milliseconds. */
      retryAfterMs?: number | undefined;
      /** Set if the provider may accept a shorter conversation or a plainer format. */
      refuses?: 'length' | 'form';
    },
  ) {
    super(message);
  }
}

/** HTTP statuses with which providers reject the content of a request. */
const CONTENT_STATUS = new Set([400, 415, 422]);

/** Provider error messages for requests that exceed the model's context window. */
const TOO_LONG = [
  /context[ _-]?(length|window|size|limit)[^.]{0,40}(exceed|too |overflow)/,
  /exceed[^.]{0,80}(context|token limit|number of (input )?tokens|limit of \d|maximum (input|prompt|length))/,
  /(greater|larger|longer) than the[^.]{0,40}(context|maximum|limit)/,
  /(maximum|max|available) (model )?(context|prompt|input) (length|size|window)/,
  /(prompt|input|inputs|request|conversation|context|messages?|body)('s length)?[ _](is |are |was )?too[ _](long|large)/,
  /too (long|large) for (the |this )?(requested )?(model|context)/,
  /reduce (the |your )?(length|size|number) of (the |your )?(messages|prompt|input|conversation|context)/,
  /(shorten|reduce) (the |your )?(prompt|input|messages|conversation)/,
  /(token|input|prompt)s?[ _](limit|length)[ _](exceeded|reached)/,
  /string[ _](above[ _]max[ _]length|too long)/,
  /range of input length should be/,
  /max_new_tokens[^.]{0,20} must be <?=/,
  /max_tokens must be at least 1/,
  /too many (input |prompt )?tokens/,
];
/** Error messages for rate limits, which may also mention tokens. */
const RATE_LIMIT = /(please wait|try again (in|later)|per (second|minute|hour|day)|rate[ _]limit)/;
/** Error message for a single request that exceeds the rate limit. Waiting does not help. */
const LARGER_THAN_RATE_LIMIT = /request( body)? too large/;

/** Matches the code or type of an error. A string with any other character is ignored, because it may contain the API key. */
const ERROR_CODE = /"(?:code|type)" ?: ?"([a-z_]{1,60})"/g;
const REQUEST_ID = /^[\w-]{1,100}$/;

/** HTTP status by type or code of an error inside a stream. */
const STATUS_BY_TYPE: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
};

export const brokenOff = (): ProviderFault => new ProviderFault(PROVIDER_SENTENCES.brokenOff, { isTransient: true });

export const silent = (seconds: number): ProviderFault =>
  new ProviderFault(PROVIDER_SENTENCES.silent(seconds), { isTransient: true });

export const webPage = (): ProviderFault => new ProviderFault(PROVIDER_SENTENCES.webPage, { isTransient: false });

/** Converts an error from a request or its stream into a fault. */
export function toFault(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error;
  if (!APICallError.isInstance(error)) return brokenOff();
  if (error.cause instanceof ProviderFault) return error.cause;
  if (error.statusCode !== undefined) return brokenOff();
  return new ProviderFault(PROVIDER_SENTENCES.unreachable, { isTransient: true });
}

/** Returns the fault for a response with an error status. */
export function faultOfResponse(status: number, headers: Headers, body: string): ProviderFault {
  const code = Array.from(body.matchAll(ERROR_CODE), ([, word]) => word).find((word) => word !== 'error');
  const [requestId] = REQUEST_ID.exec(headers.get('x-request-id') ?? headers.get('request-id') ?? '') ?? [];
  const fault = (message: string, details: Partial<ProviderFault['details']> = {}): ProviderFault =>
    new ProviderFault(message, { isTransient: false, status, code, requestId, ...details });

  if (status < 400) return fault(PROVIDER_SENTENCES.redirected);
  const isRefusedAccess = status === 401 || status === 403;
  if (!isRefusedAccess && isTooLong(status, body.toLowerCase()))
    return fault(PROVIDER_SENTENCES.tooLong, { refuses: 'length' });
  if (status === 429 || status >= 500) {
    const sentence = status === 429 ? PROVIDER_SENTENCES.busy : PROVIDER_SENTENCES.failed(status);
    return fault(sentence, { isTransient: true, retryAfterMs: retryAfter(headers) });
  }
  if (isRefusedAccess) return fault(PROVIDER_SENTENCES.accessRefused);
  if (status === 404) return fault(PROVIDER_SENTENCES.unknownModel);
  return fault(PROVIDER_SENTENCES.refused(status), {
    isTransient: status === 408,
    ...(CONTENT_STATUS.has(status) && { refuses: 'form' as const }),
  });
}

/** Returns the fault that a stream value reports, or undefined. */
export function faultInStream(value: unknown, isErrorEvent = false): ProviderFault | undefined {
  if (Array.isArray(value)) return faultInStream(value[0], isErrorEvent);
  if (!isRecord(value)) return isErrorEvent ? brokenOff() : undefined;
  const { error } = value;
  const isError = isErrorEvent || value['type'] === 'error' || value['object'] === 'error';
  const hasError = isRecord(error) ? Object.keys(error).length > 0 : typeof error === 'string' && error !== '';
  if (!isError && !hasError) return undefined;
  const fields = isRecord(error) ? error : value;
  const status = [fields['code'], fields['status'], fields['type']]
    .map(statusOf)
    .find((candidate) => candidate !== undefined);
  const fault = faultOfResponse(status ?? 500, new Headers(), JSON.stringify(value));
  return fault.details.isTransient ? brokenOff() : fault;
}

/** Returns the sentence for the user after a request with images was rejected. */
export function sentenceWithImages({ message, details: { refuses, status = 0 } }: ProviderFault): string {
  if (refuses === 'length') return PROVIDER_SENTENCES.tooLongWithImages;
  if (!CONTENT_STATUS.has(status)) return message;
  return PROVIDER_SENTENCES.withImages(message);
}

function isTooLong(status: number, words: string): boolean {
  if (status === 413 || LARGER_THAN_RATE_LIMIT.test(words)) return true;
  return TOO_LONG.some((pattern) => pattern.test(words)) && !RATE_LIMIT.test(words);
}

function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' ? (STATUS_BY_TYPE[code] ?? Number(code)) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

/** Returns the delay that a `Retry-After` header asks for, in milliseconds. The header contains seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
