import { ConnectionError, ConflictError, ServiceError, TooManyRequestsError, UnavailableError } from './errors.js';
import { pause } from './time.js';

/** How often and how patiently requests are sent again. */
export interface RetryPolicy {
  /** Times that a request is sent again at most; default 5. */
  maxRetries: number;
  /** Pause before the first time in milliseconds, about; it doubles each time. Default 500. */
  minDelayMs: number;
  /** Longest pause in milliseconds; default 8,000. */
  maxDelayMs: number;
  /** A `Retry-After` of more milliseconds is not waited for: the error is thrown at once. Default 60,000. */
  maxRetryAfterMs: number;
}

/** A request that is about to be sent again. */
export interface Retry {
  error: unknown;
  /** 1 for the first repetition. */
  attempt: number;
}

export const RETRY_POLICY: RetryPolicy = {
  maxRetries: 5,
  minDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 60_000,
};

/** Conflicts that pass by themselves. */
const PASSING_CONFLICTS: unknown[] = ['request_conflict', 'request_under_way', 'upload_being_completed'];
/** Of proxies that have not reached the service. */
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

/** Whether the request was refused before it could take effect, and may be taken later. */
export const isRefusedForNow = (error: unknown): boolean => error instanceof TooManyRequestsError;

/** Whether the request may have taken effect or not, and would be answered later. */
export function isUncertain(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnavailableError) return error.code !== 'comparison_too_large';
  if (error instanceof ConflictError) return PASSING_CONFLICTS.includes(error.code);
  return error instanceof ServiceError && [BAD_GATEWAY, GATEWAY_TIMEOUT].includes(error.status);
}

/** Whether the same request may succeed later. */
export const isPassing = (error: unknown): boolean => isRefusedForNow(error) || isUncertain(error);

/**
 * Pauses before the next attempt, for as long as the service asks, else for a random time that grows with the attempts.
 *
 * @param retries attempts that were made again until now
 * @throws the error when the service asks for more patience than there is
 */
export async function pauseAfter(
  error: unknown,
  retries: number,
  { minDelayMs, maxDelayMs, maxRetryAfterMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<void> {
  const asked = error instanceof ServiceError ? error.retryAfter : undefined;
  if (asked !== undefined && asked * 1000 > maxRetryAfterMs) throw error;
  const grown = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(retries, 30));
  // Those who were cut off together do not come back together.
  const spread = 0.5 + Math.random() / 2;
  await pause(asked === undefined ? grown * spread : asked * 1000 + minDelayMs * Math.random(), signal);
}

/** Does the work again for as long as its error may be retried and the policy allows it. */
export async function retrying<Value>(
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

/** How something is followed whose connection may be lost. */
export interface Following {
  /** Never gives up, also when the service was not reached yet: for whoever goes on after a pause. Default false. */
  isPatient?: boolean | undefined;
  /** Hears of each failure that is waited out before the stream is opened anew. */
  onInterruption?: ((error: unknown) => void) | undefined;
  /** Hears that the service was reached again after one or more of them. */
  onResumption?: (() => void) | undefined;
}

/**
 * The patience of something that goes on until it is aborted, like a stream that is opened anew whenever it was lost. What
 * fails from the beginning is given up after as many attempts as any request, unless it was asked to be patient.
 */
export class Persistence {
  private failures = 0;
  /** When the service was reached last, in milliseconds of Unix time. */
  private reachedAt: number | undefined;
  private isInterrupted = false;

  constructor(
    private readonly policy: RetryPolicy,
    private readonly signal: AbortSignal | undefined,
    private readonly following: Following = {},
  ) {}

  /** The service was reached: from now on there is no end of attempts. */
  reached(): void {
    this.reachedAt = Date.now();
    if (!this.isInterrupted) return;
    this.isInterrupted = false;
    this.following.onResumption?.();
  }

  /** It works: the next pause is a short one. */
  succeeded(): void {
    this.reached();
    this.failures = 0;
  }

  /** Pauses before the next attempt. @throws the error, if it does not pass by itself */
  async failed(error: unknown): Promise<void> {
    this.signal?.throwIfAborted();
    const { maxRetries, maxDelayMs } = this.policy;
    const isEndless = this.following.isPatient === true || this.reachedAt !== undefined;
    if (!isPassing(error) || (!isEndless && this.failures >= maxRetries)) throw error;
    // What has lasted for a while was no failed attempt.
    if (Date.now() - (this.reachedAt ?? Infinity) > maxDelayMs) this.failures = 0;
    this.isInterrupted = true;
    this.following.onInterruption?.(error);
    await pauseAfter(error, this.failures, this.policy, this.signal);
    this.failures += 1;
  }
}
