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
import { type FoundRecord, IdempotencyRecordsRepository, LARGE_ANSWER } from './idempotency-records.repository.js';
import { AnsweredBefore, type KeptAnswer, type KeyedRequest, type Proof } from './keyed-request.js';
import { SealedContent } from './sealed-content.js';

/** Name of the platform's secret where there is no setting, and of what the key is for. */
const SECRET = 'idempotency-answers';

/** When somebody who is told that their request is under way should ask again. */
const RETRY_SECONDS = 1;

/** Maximum number of keys that a company keeps. */
const MAX_KEYS = 100_000;
/** Maximum size of the answers that a company keeps, as stored. Above it, the oldest answers are dropped and their keys stay. */
const MAX_BYTES = 256 * 1024 ** 2;
/** The same for large answers. Each new large answer enforces it, so that requests cannot outrun the periodic work. */
const MAX_LARGE_BYTES = 64 * 1024 ** 2;

/** What tells requests apart. */
export interface Asked {
  caller: Principal;
  key: string;
  method: string;
  /** Path with its parameters. */
  url: string;
  /** JSON text of the body; empty where there is none. */
  body: string;
  /** Status of success. */
  status: number;
}

/** Requests with an `Idempotency-Key`, and what they were answered. */
@Injectable()
export class IdempotencyService implements OnModuleInit {
  /** Under ANSWERS_SECRET, where that is set. */
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

  /** Removes expired records, and the oldest keys and answers of companies that keep too many. */
  async forgetOld(): Promise<void> {
    while (await this.records.removeOld());
    for (const company_id of await this.records.companiesAbove(MAX_KEYS, MAX_BYTES)) {
      while (await this.records.removeAbove(company_id, MAX_KEYS));
      await this.records.dropAnswers(company_id, MAX_BYTES);
    }
  }

  async request(asked: Asked): Promise<AnsweringRequest> {
    const box = this.box ?? (await this.secrets.box(SECRET));
    return new AnsweringRequest(this.records, new SealedContent(box), asked);
  }
}

/** One request with a key. */
export class AnsweringRequest implements KeyedRequest {
  private readonly scope: Buffer;
  private readonly company_id: string;
  private readonly body_digest: Buffer;
  private readonly status: number;
  /** Whether a record without an answer is this request's. */
  private isClaimed = false;

  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly sealed: SealedContent,
    { caller, key, method, url, body, status }: Asked,
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

  async claim<Result>(tx: Tx, work: () => Promise<Result>, goOn: (left: unknown) => Promise<Result>): Promise<Result> {
    const found = await this.begin(tx);
    if (found !== undefined) return await goOn(found.left);
    const result = await work();
    await this.add(tx, null, JSON.stringify(result));
    this.isClaimed = true;
    return result;
  }

  async check(): Promise<void> {
    const found = await this.records.found(this.scope);
    if (found !== undefined) await this.recall(found);
  }

  /** What an earlier request with the key has left without an answer. @throws AnsweredBefore @throws Conflict */
  private async begin(tx: Tx, proof?: Proof): Promise<{ left: unknown } | undefined> {
    const records = tx.withRepository(this.records);
    // Each statement has a snapshot of its own: the second one sees what the last holder of the lock has kept.
    const [locked, found] = await pipelined(records.tryLock(this.scope), records.found(this.scope));
    const left = found === undefined ? undefined : await this.recall(found, proof);
    if (!locked) throw underWay();
    if (found === undefined) return undefined;
    await records.takeUp(this.scope);
    this.isClaimed = true;
    return { left };
  }

  /** Keeps the answer that was made from what was claimed. */
  async answered(body: unknown): Promise<void> {
    if (!this.isClaimed) return;
    const content = await this.sealed.seal(this.scope, bodyText(body));
    await this.records.finish(this.scope, this.status, content);
    await this.limitLargeAnswers(this.records, content);
  }

  /** Forgets what was claimed and has come to nothing. */
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

  /** Drops the company's oldest large answers after a large one was added. Small answers run no statement. */
  private async limitLargeAnswers(records: IdempotencyRecordsRepository, added: Buffer): Promise<void> {
    if (added.length > LARGE_ANSWER) await records.dropLargeAnswers(this.company_id, MAX_LARGE_BYTES);
  }

  /** What an earlier request has left without an answer. @throws AnsweredBefore @throws Conflict */
  private async recall({ body_digest, status, content, is_at_work }: FoundRecord, proof?: Proof): Promise<unknown> {
    if (!body_digest.equals(this.body_digest)) {
      throw new Conflict('idempotency_key_reused', 'Another request was sent with this Idempotency-Key; use a new one');
    }
    if (status === null && is_at_work) throw underWay();
    const text = await this.sealed.open(this.scope, content);
    if (text === undefined)
      throw new Conflict('answer_lost', 'The request was carried out, but its answer can no longer be read');
    if (status === null) return JSON.parse(text);
    const answer: KeptAnswer = { status, text };
    await proof?.(answer);
    throw new AnsweredBefore(answer);
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const underWay = (): Conflict =>
  new Conflict('request_under_way', 'A request with this Idempotency-Key is still under way; ask again', RETRY_SECONDS);
