import type { Tx } from '../../database/database.service.js';

/** An answer as it was given: JSON text, empty where there is no body. */
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

/** Proves that the caller may read the earlier answer now; throws what the operation throws where they may not. */
export type Proof = (answer: KeptAnswer) => Promise<unknown>;

/** A request with an `Idempotency-Key`, as {@link Once} uses it. */
export interface KeyedRequest {
  /** What an earlier request with the key has left without an answer. @throws AnsweredBefore @throws Conflict */
  begin(tx: Tx, proof?: Proof): Promise<{ left: unknown } | undefined>;
  /** Keeps the answer in the transaction that has the effect. */
  keep(tx: Tx, body: unknown): Promise<void>;
  /** Keeps what the answer will be made from, where that takes more than the transaction. */
  claim(tx: Tx, value: unknown): Promise<void>;
  /** @throws AnsweredBefore @throws Conflict */
  check(): Promise<void>;
}

/** What is enough where the answer is made after the transaction. */
export type Claiming = Pick<Once<never>, 'claim'>;

/**
 * Has a request take effect once, however often it is sent with its `Idempotency-Key`. For a request without one everything
 * happens as if this was not here.
 *
 * A handler takes it as a parameter (`@RequestOnce()`) and gives it to the service, whose transaction with the effect writes the
 * answer too: a crash keeps both or neither. So what the answer says is known in that transaction.
 */
export class Once<Value> {
  constructor(
    private readonly request: KeyedRequest | undefined,
    private readonly toBody: (value: Value) => unknown,
  ) {}

  /** For callers that are no requests. */
  static unkept<Value>(): Once<Value> {
    return new Once<Value>(undefined, () => undefined);
  }

  /** The same where the service answers with something that the body is made from. */
  from<Other>(toBody: (value: Other) => Value): Once<Other> {
    return new Once(this.request, (value: Other) => this.toBody(toBody(value)));
  }

  /**
   * Does `work` in a transaction unless it was done before. To be called when the rights of the caller are proven, as things
   * are now, and before any rule that the first request has changed.
   *
   * @param proof where the way here has not proven that the caller may read the earlier answer
   * @throws AnsweredBefore
   * @throws Conflict while the first request is under way, or for another body
   */
  async do<Result extends Value>(tx: Tx, work: () => Promise<Result>, proof?: Proof): Promise<Result> {
    if (this.request === undefined) return await work();
    await this.request.begin(tx, proof);
    const value = await work();
    await this.request.keep(tx, this.toBody(value));
    return value;
  }

  /**
   * The same where the answer is made after the transaction: what it is made from is kept until then, as JSON. After a crash
   * the next request goes on with that.
   */
  async claim<Result>(tx: Tx, work: () => Promise<Result>, goOn: (left: unknown) => Promise<Result>): Promise<Result> {
    if (this.request === undefined) return await work();
    const found = await this.request.begin(tx);
    if (found !== undefined) return await goOn(found.left);
    const value = await work();
    await this.request.claim(tx, value);
    return value;
  }

  /** Finds out early whether the request was answered before, where much work comes before the transaction. */
  async check(): Promise<void> {
    await this.request?.check();
  }
}
