import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Principal } from '../../auth/principal.js';
import { SecretBox } from '../crypto/secret-box.js';
import { pipelined, type Tx } from '../../database/database.service.js';
import { Conflict } from '../errors/errors.js';
import { bodyText } from '../http/json-text.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { SecretsService } from '../secrets/secrets.service.js';
import { type CurrentRecord, IdempotencyRecordsRepository, LARGE_ANSWER } from './idempotency-records.repository.js';
import { AlreadyAnswered, type StoredAnswer, type KeyedRequest, type Proof } from './keyed-request.js';
import { SealedContent } from './sealed-content.js';

/** Name of the platform secret that is used if ANSWERS_SECRET is absent. It is also the purpose of the derived key. */
const SECRET = 'idempotency-answers';

/** Seconds after which a client should retry while its first request is still in progress. */
const RETRY_SECONDS = 1;

/** Maximum number of keys stored per company. */
const MAX_KEYS = 100_000;
/**
 * Maximum size of a company's stored responses, in bytes. Above it, the oldest responses are dropped but their keys are kept.
 */
const MAX_BYTES = 256 * 1024 ** 2;
/**
 * Maximum size of a company's large responses, in bytes. Enforced on each new large response, so that requests cannot outrun
 * the periodic cleanup.
 */
const MAX_LARGE_BYTES = 64 * 1024 ** 2;

export interface RequestIdentity {
  caller: Principal;
  key: string;
  method: string;
  /** Path with its parameters. */
  url: string;
  /** JSON text of the body, or an empty string. */
  body: string;
  /** Status of a successful response. */
  status: number;
}

/** Manages requests with an `Idempotency-Key` and their responses. */
@Injectable()
export class IdempotencyService implements OnModuleInit {
  /** Encrypts with ANSWERS_SECRET. Undefined if it is not set. */
  private readonly box: SecretBox | undefined;

  constructor(
    config: Config,
    private readonly secrets: SecretsService,
    private readonly records: IdempotencyRecordsRepository,
    private readonly periodic: PeriodicWorkService,
  ) {
    if (config.ANSWERS_SECRET !== undefined) this.box = new SecretBox(config.ANSWERS_SECRET, SECRET);
  }

  onModuleInit(): void {
    this.periodic.every('*/5 * * * *', 'forget_idempotency_records', async () => await this.forgetOld());
  }

  /** Removes expired records, and the oldest keys and responses of companies above their limits. */
  async forgetOld(): Promise<void> {
    while (await this.records.removeOld());
    for (const company_id of await this.records.companiesAbove(MAX_KEYS, MAX_BYTES)) {
      while (await this.records.removeAbove(company_id, MAX_KEYS));
      await this.records.dropAnswers(company_id, MAX_BYTES);
    }
  }

  async request(identity: RequestIdentity): Promise<AnsweringRequest> {
    const box = this.box ?? (await this.secrets.box(SECRET));
    return new AnsweringRequest(this.records, new SealedContent(box), identity);
  }
}

/** Request with an `Idempotency-Key`. */
export class AnsweringRequest implements KeyedRequest {
  private readonly scope: Buffer;
  private readonly company_id: string;
  private readonly body_digest: Buffer;
  private readonly status: number;
  /** Whether this request owns a record that has no response yet. */
  private isClaimed = false;

  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly sealed: SealedContent,
    { caller, key, method, url, body, status }: RequestIdentity,
  ) {
    const { company_id, api_key_id, user_id } = caller;
    this.scope = digest(JSON.stringify([company_id, api_key_id, user_id, key, method, url]));
    this.company_id = company_id;
    this.body_digest = digest(body);
    this.status = status;
  }

  async once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body> {
    await this.begin(tx, proof);
    const body = await work();
    await this.add(tx, this.status, bodyText(body));
    return body;
  }

  async claim<Result>(
    tx: Tx,
    work: () => Promise<Result>,
    resume: (earlierResult: unknown) => Promise<Result>,
  ): Promise<Result> {
    const earlier = await this.begin(tx);
    if (earlier !== undefined) return await resume(earlier.result);
    const result = await work();
    await this.add(tx, null, JSON.stringify(result));
    this.isClaimed = true;
    return result;
  }

  async check(): Promise<void> {
    const record = await this.records.findCurrent(this.scope);
    if (record !== undefined) await this.recall(record);
  }

  /** Returns the result of an earlier request that has no response yet. @throws AlreadyAnswered @throws Conflict */
  private async begin(tx: Tx, proof?: Proof): Promise<{ result: unknown } | undefined> {
    const records = tx.withRepository(this.records);
    // Each statement has its own snapshot, so the second statement sees the record of the lock's previous holder.
    const [locked, record] = await pipelined(records.tryLock(this.scope), records.findCurrent(this.scope));
    const result = record === undefined ? undefined : await this.recall(record, proof);
    if (!locked) throw underWay();
    if (record === undefined) return undefined;
    await records.reclaim(this.scope);
    this.isClaimed = true;
    return { result };
  }

  /** Stores the response that was built from the claimed result. */
  async answered(body: unknown): Promise<void> {
    if (!this.isClaimed) return;
    const content = await this.sealed.seal(this.scope, bodyText(body));
    await this.records.finish(this.scope, this.status, content);
    await this.limitLargeAnswers(this.records, content);
  }

  /** Removes a failed request's claim. */
  async failed(): Promise<void> {
    if (this.isClaimed) await this.records.forget(this.scope);
  }

  private async add(tx: Tx, status: number | null, text: string): Promise<void> {
    const { scope, company_id, body_digest } = this;
    const content = await this.sealed.seal(scope, text);
    const records = tx.withRepository(this.records);
    if (!(await records.add({ scope, company_id, body_digest, status, content }))) throw underWay();
    await this.limitLargeAnswers(records, content);
  }

  /** Drops the company's oldest large responses after a large response was added. Runs no statement for a small response. */
  private async limitLargeAnswers(records: IdempotencyRecordsRepository, added: Buffer): Promise<void> {
    if (added.length > LARGE_ANSWER) await records.dropLargeAnswers(this.company_id, MAX_LARGE_BYTES);
  }

  /** Returns the result of an earlier request that has no response yet. @throws AlreadyAnswered @throws Conflict */
  private async recall({ body_digest, status, content, is_at_work }: CurrentRecord, proof?: Proof): Promise<unknown> {
    if (!body_digest.equals(this.body_digest)) {
      throw new Conflict(
        'idempotency_key_reused',
        'This Idempotency-Key was already used for a different request; use a new one',
      );
    }
    if (status === null && is_at_work) throw underWay();
    const text = await this.sealed.open(this.scope, content);
    if (text === undefined)
      throw new Conflict('answer_lost', 'The request was processed, but its response can no longer be read');
    if (status === null) return JSON.parse(text);
    const answer: StoredAnswer = { status, text };
    await proof?.(answer);
    throw new AlreadyAnswered(answer);
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const underWay = (): Conflict =>
  new Conflict(
    'request_under_way',
    'A request with this Idempotency-Key is still in progress; try again later',
    RETRY_SECONDS,
  );
