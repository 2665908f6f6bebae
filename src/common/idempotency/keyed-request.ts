import type { Tx } from '../../database/database.service.js';

/** Stored response: JSON text, or an empty string for an empty body. */
export interface StoredAnswer {
  status: number;
  text: string;
}

/** Thrown if the request was already answered. The interceptor then repeats the stored response. */
export class AlreadyAnswered extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('The request was already answered');
  }
}

/** Proves that the caller may still read the earlier response. Throws the operation's own error otherwise. */
export type Proof = (answer: StoredAnswer) => Promise<unknown>;

/**
 * Request with an `Idempotency-Key`. It takes effect only once, even if it is sent several times. The key is attached to the
 * caller, so most services use the key through the caller's `once`.
 */
export interface KeyedRequest {
  /**
   * Runs `work` unless an earlier request has done it. The result becomes the response body and is stored in the transaction of
   * the effect, so that a crash keeps both or neither.
   *
   * @param proof required unless an earlier check has proven that the caller may read the earlier response
   * @throws AlreadyAnswered
   * @throws Conflict if the first request is still in progress or had another body
   */
  once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body>;

  /**
   * Works like `once` for a response that is built after the transaction. Until then, the result of `work` is stored as JSON.
   * After a crash, the next request continues with that result.
   */
  claim<Result>(
    tx: Tx,
    work: () => Promise<Result>,
    resume: (earlierResult: unknown) => Promise<Result>,
  ): Promise<Result>;

  /** Checks, before expensive work, whether the request was already answered. @throws AlreadyAnswered @throws Conflict */
  check(): Promise<void>;
}
