import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { releaseShared } from './shared-reads.js';
import { sqlStateOf } from './sql-state.js';

/** A running transaction, passed on explicitly to everything that takes part in it. */
export type Tx = EntityManager;

/**
 * Deadlock, serialisation failure, and prepared statements that a migration has outdated: the transaction had no effect and can run
 * again.
 */
const RETRIED_CODES = new Set(['40P01', '40001', '0A000', '26000']);
const ATTEMPTS = 4;

type Results<Statements extends readonly unknown[]> = { -readonly [At in keyof Statements]: Awaited<Statements[At]> };

/**
 * The results of statements that need nothing of each other. Each argument is one statement, asked for before anything is
 * awaited, or a value that is no promise and stays as it is. On one connection they are sent without waiting for answers and run in
 * their order, each with a snapshot of its own: one behind a lock sees what the lock has waited for. Of failures the first one in
 * their order is thrown, when all are over.
 */
export async function pipelined<const Statements extends readonly unknown[]>(
  ...statements: Statements
): Promise<Results<Statements>> {
  const settled = await Promise.allSettled(statements);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }) as Results<Statements>;
}

/** What waits for the end of a transaction. */
interface Hooks {
  before: (() => Promise<void>)[];
  after: (() => void)[];
}

/** The database as services see it: reads outside transactions and explicit transactions. */
@Injectable()
export class DatabaseService implements OnApplicationShutdown {
  private readonly hooks = new WeakMap<Tx, Hooks>();

  constructor(readonly source: DataSource) {}

  /** For reads outside a transaction; each statement sees its own snapshot. */
  get manager(): EntityManager {
    return this.source.manager;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction and commits when it resolves.
   *
   * After one of {@link RETRIED_CODES} the whole of `work` runs again, up to three more times, so it must have
   * no effects outside the transaction.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The level is every connection's default: to set it would be a round trip more.
        return await this.once(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !RETRIED_CODES.has(sqlStateOf(error))) throw error;
      }
    }
  }

  /** Has `work` run as the last part of a transaction: for rows that make others wait until the commit. */
  beforeCommit(tx: Tx, work: () => Promise<void>): void {
    this.hooksOf(tx).before.push(work);
  }

  /** Has `work` run once a transaction has committed. */
  afterCommit(tx: Tx, work: () => void): void {
    this.hooksOf(tx).after.push(work);
  }

  private async once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const hooks: Hooks = { before: [], after: [] };
    const result = await this.source.transaction(async (tx) => {
      this.hooks.set(tx, hooks);
      const done = await work(tx);
      for (const last of hooks.before) await last();
      return done;
    });
    for (const after of hooks.after) after();
    return result;
  }

  private hooksOf(tx: Tx): Hooks {
    const hooks = this.hooks.get(tx);
    if (hooks === undefined) throw new Error('This is not in a transaction');
    return hooks;
  }

  /** Runs reads that all see one moment: the one of the first of them. */
  async snapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return await this.source.transaction('REPEATABLE READ', read);
  }

  /** Runs reads over one connection, on which they can be {@link pipelined}. */
  async together<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      return await read(runner.manager);
    } finally {
      await runner.release();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await releaseShared(this.source);
    await this.source.destroy();
  }
}
