import { ConflictError, ConnectionError, ServiceError, TooManyRequestsError, UnavailableError } from './errors.js';
import { pause } from './time.js';

/** Limits and delays of retries. */
export interface RetryPolicy {
  /** Maximum number of retries. Default 5. */
  maxRetries: number;
  /** Approximate delay before the first retry in milliseconds. Doubles with each retry. Default 500. */
  minDelayMs: number;
  /** Maximum delay in milliseconds. Default 8,000. */
  maxDelayMs: number;
  /** Maximum `Retry-After` in milliseconds. If it is longer, the error is thrown immediately. Default 60,000. */
  maxRetryAfterMs: number;
}

/** Details of a request that is about to be retried. */
export interface Retry {
  error: unknown;
  /** 1 for the first retry. */
  attempt: number;
}

export const RETRY_POLICY: RetryPolicy = {
  maxRetries: 5,
  minDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 60_000,
};

/** Codes of temporary conflicts. */
const TEMPORARY_CONFLICTS: unknown[] = ['request_conflict', 'request_under_way', 'upload_being_completed'];
/** Statuses of proxies that could not reach the service. */
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

/** Whether the request was rejected before it could take effect, and may be accepted later. */
export const isRateLimited = (error: unknown): boolean => error instanceof TooManyRequestsError;

/** Whether it is unknown if the request has taken effect, and repeating the request may return a response. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnavailableError) return error.code !== 'comparison_too_large';
  if (error instanceof ConflictError) return TEMPORARY_CONFLICTS.includes(error.code);
  return error instanceof ServiceError && [BAD_GATEWAY, GATEWAY_TIMEOUT].includes(error.status);
}

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean => isRateLimited(error) || isOutcomeUnknown(error);

/**
 * Waits before the next attempt. Uses the delay that the service requests, otherwise a random delay that grows with the attempts.
 *
 * @param retries number of previous retries
 * @throws the error if the service requests a longer delay than allowed
 */
export async function pauseAfter(
  error: unknown,
  retries: number,
  { minDelayMs, maxDelayMs, maxRetryAfterMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<void> {
  const retryAfter = error instanceof ServiceError ? error.retryAfter : undefined;
  if (retryAfter !== undefined && retryAfter * 1000 > maxRetryAfterMs) throw error;
  const backoff = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(retries, 30));
  // Jitter keeps clients that were disconnected together from reconnecting together.
  const jitter = 0.5 + Math.random() / 2;
  await pause(retryAfter === undefined ? backoff * jitter : retryAfter * 1000 + minDelayMs * Math.random(), signal);
}

/** Repeats the work while its error can be retried and the policy allows it. */
export async function withRetries<Value>(
  work: () => Promise<Value>,
  mayRetry: (error: unknown) => boolean,
  policy: RetryPolicy,
  signal?: AbortSignal,
  onRetry?: (retry: Retry) => void,
): Promise<Value> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (retries >= policy.maxRetries || !mayRetry(error)) throw error;
      await pauseAfter(error, retries, policy, signal);
      onRetry?.({ error, attempt: retries + 1 });
    }
  }
}

/** Options for following a stream whose connection may be lost. */
export interface Following {
  /** Never gives up, even if the service has never been reached. Use it to continue after a pause. Default false. */
  isPatient?: boolean | undefined;
  /** Called for each failure before the stream is reopened. */
  onInterruption?: ((error: unknown) => void) | undefined;
  /** Called when the service is reached again after one or more failures. */
  onResumption?: (() => void) | undefined;
}

/**
 * Retry state of a task that runs until it is aborted, such as a stream that is reopened whenever it is lost. Until the service
 * is first reached, the usual retry limit applies, unless `isPatient` is set.
 */
export class RetryState {
  private failures = 0;
  /** Time of the last contact with the service, in milliseconds since the Unix epoch. */
  private reachedAt: number | undefined;
  private isInterrupted = false;

  constructor(
    private readonly policy: RetryPolicy,
    private readonly signal: AbortSignal | undefined,
    private readonly following: Following = {},
  ) {}

  /** Records that the service was reached. Retries are unlimited from now on. */
  recordContact(): void {
    this.reachedAt = Date.now();
    if (!this.isInterrupted) return;
    this.isInterrupted = false;
    this.following.onResumption?.();
  }

  /** Records a success. The next delay is short again. */
  recordSuccess(): void {
    this.recordContact();
    this.failures = 0;
  }

  /** Waits before the next attempt. @throws the error if it cannot be retried */
  async waitAfterFailure(error: unknown): Promise<void> {
    this.signal?.throwIfAborted();
    const { maxRetries, maxDelayMs } = this.policy;
    const isEndless = this.following.isPatient === true || this.reachedAt !== undefined;
    if (!isTemporary(error) || (!isEndless && this.failures >= maxRetries)) throw error;
    // A connection that has lasted for a while does not count as a failed attempt.
    if (Date.now() - (this.reachedAt ?? Infinity) > maxDelayMs) this.failures = 0;
    this.isInterrupted = true;
    this.following.onInterruption?.(error);
    await pauseAfter(error, this.failures, this.policy, this.signal);
    this.failures += 1;
  }
}
