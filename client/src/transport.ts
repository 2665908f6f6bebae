import createFetchClient, { type Client, type ParseAs } from 'openapi-fetch';
import type { HttpMethod } from './calls.js';
import { Credentials, type TokenSource } from './credentials.js';
import {
  AuthenticationError,
  ConnectionError,
  errorOf,
  NotFoundError,
  type RequestLine,
  ServiceError,
} from './errors.js';
import type { paths } from './openapi.js';
import { isOutcomeUnknown, isRateLimited, type Retry, RETRY_POLICY, type RetryPolicy, withRetries } from './retry.js';
import { Watchdog } from './time.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const NOT_MODIFIED = 304;
/** Path segments that URL parsers remove, even if they are percent-encoded. */
const DOTS = /^\.{1,2}$/;

/** Connection options for a client. */
export interface TransportOptions {
  /** Address of the service, with or without `/api/v1`. Use an empty string in a page that the service itself serves. */
  baseUrl: string;
  token?: TokenSource | undefined;
  /** Defaults are those in {@link RetryPolicy}. Use `{ maxRetries: 0 }` to disable retries. */
  retry?: Partial<RetryPolicy>;
  /** Time limit in milliseconds for the response to each attempt. Default 120,000. */
  timeoutMs?: number;
  /**
   * Opens each event stream once for all windows of this origin whose clients have the same value. The value must identify the
   * caller, such as the user id. A function is called for each stream. Without a value or without Web Locks, each reader opens
   * its own stream.
   */
  shareStreams?: string | (() => string | undefined) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Called before each request is sent, including retries and file parts. */
  onRequest?: ((request: Request) => void) | undefined;
  /** Called after the delay, before a request is retried. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** Untyped call to any operation. */
export interface PlainCall {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown>; header?: Record<string, unknown> };
  body?: unknown;
  headers?: Record<string, string>;
  parseAs?: ParseAs;
  ifNoneMatch?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export interface PlainResult {
  data: unknown;
  response: Response;
}

/** Sends requests with the token, retries them if that is safe, and throws an exception for each error response. */
export class Transport {
  readonly retry: RetryPolicy;
  private readonly fetch: (request: Request) => Promise<Response>;
  private readonly api: Client<paths>;
  readonly credentials: Credentials;
  readonly baseUrl: string;
  private readonly streamSharing: TransportOptions['shareStreams'];
  private readonly timeoutMs: number;
  private readonly onRequest: TransportOptions['onRequest'];
  readonly onRetry: TransportOptions['onRetry'];

  constructor({
    baseUrl,
    token,
    retry,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    fetch = (request) => globalThis.fetch(request),
    onRequest,
    onRetry,
    shareStreams,
  }: TransportOptions) {
    this.baseUrl = withoutApiPath(baseUrl);
    this.streamSharing = shareStreams;
    this.onRequest = onRequest;
    this.onRetry = onRetry;
    this.retry = { ...RETRY_POLICY, ...retry };
    this.timeoutMs = timeoutMs;
    this.credentials = new Credentials(token);
    this.fetch = fetch;
    this.api = createFetchClient<paths>({ baseUrl: this.baseUrl, fetch });
  }

  get shareStreams(): string | undefined {
    return typeof this.streamSharing === 'function' ? this.streamSharing() : this.streamSharing;
  }

  /**
   * Sends a request. Retries it if it was rejected temporarily, or if it was not answered and repeating it is safe. Reads,
   * creations with an idempotency key, and unconditional PUT and DELETE requests are safe to repeat. A retried DELETE that
   * returns 404 counts as successful.
   */
  async call(method: HttpMethod, path: string, call: PlainCall = {}): Promise<PlainResult> {
    const keyedCall = withIdempotencyKey(method, call);
    const isRepeatable = mayRepeat(method, keyedCall);
    let mayHaveSucceeded = false;
    const attempt = async (): Promise<PlainResult> => {
      try {
        const { data, response } = await this.callOnce(method, path, keyedCall);
        return { data, response };
      } catch (error) {
        if (mayHaveSucceeded && method === 'delete' && error instanceof NotFoundError)
          return { data: undefined, response: new Response(null, { status: 204 }) };
        mayHaveSucceeded ||= isOutcomeUnknown(error);
        throw error;
      }
    };
    return await withRetries(
      attempt,
      (error) => isRateLimited(error) || (isRepeatable && isOutcomeUnknown(error)),
      this.retry,
      call.signal,
      this.onRetry,
    );
  }

  /** Sends a request. After a 401, sends it again with a new token. */
  async callOnce(
    method: HttpMethod,
    path: string,
    call: PlainCall,
  ): Promise<PlainResult & { token: string | undefined }> {
    const token = await this.credentials.token();
    try {
      return { ...(await this.sendOnce(method, path, call, token)), token };
    } catch (error) {
      if (!(error instanceof AuthenticationError) || !this.credentials.canRenew) throw error;
      await this.credentials.reject(token);
      const newToken = await this.credentials.token();
      return { ...(await this.sendOnce(method, path, call, newToken)), token: newToken };
    }
  }

  /** Sends a request with the signal of `watchdog`, which can abort it until the response body has been read. */
  async send(request: Request, watchdog: Watchdog): Promise<Response> {
    watchdog.request = request;
    this.onRequest?.(request);
    return await this.fetch(request);
  }

  private async sendOnce(
    method: HttpMethod,
    path: string,
    { params, body, headers, parseAs = 'json', ifNoneMatch, signal, timeoutMs = this.timeoutMs }: PlainCall,
    token: string | undefined,
  ): Promise<PlainResult> {
    assertPath(params?.path);
    const watchdog = new Watchdog(signal, timeoutMs);
    let requestLine: RequestLine | undefined;
    const init = {
      params,
      body,
      parseAs,
      signal: watchdog.signal,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        ...headers,
      },
      fetch: async (request: Request): Promise<Response> => {
        requestLine = { method: request.method, url: request.url };
        return await this.send(request, watchdog);
      },
    };
    try {
      const { data, error, response } = await this.api.request(method, path as never, init as never);
      if (!response.ok && response.status !== NOT_MODIFIED) throw errorOf(response, error);
      return { data, response };
    } catch (error) {
      signal?.throwIfAborted();
      throw requestLine === undefined ? error : Object.assign(toConnectionError(error), { request: requestLine });
    } finally {
      if (parseAs === 'stream') watchdog.stopTimer();
      else watchdog.release();
    }
  }
}

/** Removes `/api/v1` from a base URL, because operation paths already contain it. */
const withoutApiPath = (baseUrl: string): string => baseUrl.replace(/\/$/, '').replace(/\/api\/v1$/, '');

/** Converts an error that occurred after a request was sent. */
function toConnectionError(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ConnectionError(`The service did not respond: ${message}`, { cause: error });
}

/** Adds an idempotency key to a POST, so that all retries use the same key. Messages with a `client_msg_id` need no key. */
function withIdempotencyKey(method: HttpMethod, call: PlainCall): PlainCall {
  if (method !== 'post' || hasMessageId(call)) return call;
  // A key set by the caller takes precedence.
  return { ...call, headers: { 'idempotency-key': newId(), ...call.headers } };
}

const hasMessageId = ({ body }: PlainCall): boolean =>
  typeof body === 'object' && body !== null && 'client_msg_id' in body && body.client_msg_id != null;

/** Whether a request may be repeated if the outcome of the first attempt is unknown. */
function mayRepeat(method: HttpMethod, { params, headers }: PlainCall): boolean {
  if (method === 'patch') return false;
  if (method === 'get' || method === 'post') return true;
  // The first attempt may have changed the entity tag.
  const names = [...Object.keys(params?.header ?? {}), ...Object.keys(headers ?? {})];
  return !names.some((name) => name.toLowerCase() === 'if-match');
}

/** @throws TypeError if a parameter would make the path refer to another operation */
function assertPath(path: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(path))
    if (value === '' || DOTS.test(String(value)))
      throw new TypeError(`The path parameter ${name} must not be ${JSON.stringify(value)}`);
}

/** Returns a unique id of 128 random bits. Insecure pages have no `crypto.randomUUID`. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
