import type { Tx } from '../../database/database.service.js';

/** A stored answer: JSON text, or an empty text for an empty body. */
export interface KeptAnswer {
  status: number;
  text: string;
}

/** Thrown where a request is found to have been answered before: the interceptor gives that answer again. */
export class AnsweredBefore extends Error {
  constructor(readonly answer: KeptAnswer) {
    super('The request was answered before');
  }
}

/** Proves that the caller may read the earlier answer now. Throws the error of the operation otherwise. */
export type Proof = (answer: KeptAnswer) => Promise<unknown>;

/**
 * A request with an `Idempotency-Key`. However often it is sent, it takes effect once. Its caller carries it, so most services use it
 * through `once` of the caller.
 */
export interface KeyedRequest {
  /**
   * Does `work` unless it was done before. Its result is the body of the answer and is kept in the transaction of the effect: a crash
   * keeps both or neither.
   *
   * @param proof needed if nothing before has proven that the caller may read the earlier answer
   * @throws AnsweredBefore
   * @throws Conflict while the first request is under way, or for another body
   */
  once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body>;

  /**
   * The same for an answer that is made after the transaction. The result of `work` is kept as JSON until then. After a crash, the next
   * request continues with that result.
   */
  claim<Result>(tx: Tx, work: () => Promise<Result>, goOn: (left: unknown) => Promise<Result>): Promise<Result>;

  /** Finds out before much work whether the request was answered before. @throws AnsweredBefore @throws Conflict */
  check(): Promise<void>;
}
