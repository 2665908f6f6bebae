import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Principal } from '../../auth/principal.js';
import { SecretBox } from '../crypto/secret-box.js';
import { pipelined, type Tx } from '../../database/database.service.js';
import { Conflict } from '../errors/errors.js';
import { bodyText } from '../http/json-text.js';
import { Jobs } from '../../database/jobs/jobs.service.js';
import { SecretsService } from '../secrets/secrets.service.js';
import { type FoundRecord, IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { AnsweredBefore, type KeptAnswer, type KeyedRequest, type Proof } from './once.js';
import { SealedContent } from './sealed-content.js';

/** Name of the platform's secret where there is no setting, and of what the key is for. */
const SECRET = 'idempotency-answers';

/** When somebody who is told that their request is under way should ask again. */
const RETRY_SECONDS = 1;

/** Of a company so many answers are kept, and so many bytes of them; of more the oldest go before their time. */
const MOST_ANSWERS = 100_000;
const MOST_BYTES = 256 * 1024 ** 2;

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
export class Idempotency implements OnModuleInit {
  /** Under ANSWERS_SECRET, where that is set. */
  private readonly box: SecretBox | undefined;

  constructor(
    config: Config,
    private readonly secrets: SecretsService,
    private readonly records: IdempotencyRecordsRepository,
    private readonly jobs: Jobs,
  ) {
    if (config.ANSWERS_SECRET !== undefined) this.box = new SecretBox(config.ANSWERS_SECRET, SECRET);
  }

  onModuleInit(): void {
    this.jobs.every('*/5 * * * *', 'forget_idempotency_records', async () => await this.forgetOld());
  }

  /** Removes what is kept no longer, and of companies that have too much the oldest. */
  async forgetOld(): Promise<void> {
    while (await this.records.removeOld());
    for (const company_id of await this.records.companiesAbove(MOST_ANSWERS, MOST_BYTES)) {
      const moment = await this.records.excess(company_id, MOST_ANSWERS, MOST_BYTES);
      if (moment !== undefined) while (await this.records.removeUpTo(company_id, moment));
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

  async begin(tx: Tx, proof?: Proof): Promise<{ left: unknown } | undefined> {
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

  async check(): Promise<void> {
    const found = await this.records.found(this.scope);
    if (found !== undefined) await this.recall(found);
  }

  async keep(tx: Tx, body: unknown): Promise<void> {
    await this.add(tx, this.status, bodyText(body));
  }

  async claim(tx: Tx, value: unknown): Promise<void> {
    await this.add(tx, null, JSON.stringify(value));
    this.isClaimed = true;
  }

  /** Keeps the answer that was made from what was claimed. */
  async answered(body: unknown): Promise<void> {
    if (!this.isClaimed) return;
    await this.records.finish(this.scope, this.status, await this.sealed.seal(this.scope, bodyText(body)));
  }

  /** Forgets what was claimed and has come to nothing. */
  async failed(): Promise<void> {
    if (this.isClaimed) await this.records.forget(this.scope);
  }

  private async add(tx: Tx, status: number | null, text: string): Promise<void> {
    const { scope, company_id, body_digest } = this;
    const content = await this.sealed.seal(scope, text);
    const isAdded = await tx.withRepository(this.records).add({ scope, company_id, body_digest, status, content });
    if (!isAdded) throw underWay();
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
