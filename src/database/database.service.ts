import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { releaseShared } from './shared-reads.js';
import { sqlStateOf } from './sql-state.js';

/** Running transaction, passed explicitly to every function that takes part in it. */
export type Tx = EntityManager;

/**
 * SQLSTATEs of deadlocks, serialization failures, and prepared statements that a migration has invalidated. The transaction had
 * no effect and can run again.
 */
const RETRIED_CODES = new Set(['40P01', '40001', '0A000', '26000']);
const ATTEMPTS = 4;

type Results<Statements extends readonly unknown[]> = { -readonly [At in keyof Statements]: Awaited<Statements[At]> };

/**
 * Returns the results of independent statements. Each argument is the promise of a statement that was already issued, or a
 * plain value, which is returned unchanged. Statements on the same connection are sent without waiting for earlier results.
 * They run in order, each with its own snapshot, so a statement after a lock sees the changes of the lock's previous holder.
 * After all statements have settled, the first error in argument order is thrown.
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

/** Callbacks that run at the end of a transaction. */
interface Hooks {
  before: (() => Promise<void>)[];
  after: (() => void)[];
}

/** Gives services access to the database, with and without explicit transactions. */
@Injectable()
export class DatabaseService implements OnApplicationShutdown {
  private readonly hooks = new WeakMap<Tx, Hooks>();

  constructor(readonly source: DataSource) {}

  /** Manager for reads outside a transaction. Each statement sees its own snapshot. */
  get manager(): EntityManager {
    return this.source.manager;
  }

  /**
   * Runs `work` in a READ COMMITTED transaction and commits when it resolves.
   *
   * After an error in {@link RETRIED_CODES}, `work` runs again from the start, up to three more times. It must therefore have no
   * effects outside the transaction.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The isolation level is the default of every connection. Setting it here would cost a round trip.
        return await this.once(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !RETRIED_CODES.has(sqlStateOf(error))) throw error;
      }
    }
  }

  /**
   * Runs `work` at the end of the transaction, just before the commit. Use it to write rows whose locks block other transactions.
   */
  beforeCommit(tx: Tx, work: () => Promise<void>): void {
    this.hooksOf(tx).before.push(work);
  }

  /** Runs `work` after the transaction has committed. */
  afterCommit(tx: Tx, work: () => void): void {
    this.hooksOf(tx).after.push(work);
  }

  private async once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const hooks: Hooks = { before: [], after: [] };
    const result = await this.source.transaction(async (tx) => {
      this.hooks.set(tx, hooks);
      const outcome = await work(tx);
      for (const last of hooks.before) await last();
      return outcome;
    });
    for (const after of hooks.after) after();
    return result;
  }

  private hooksOf(tx: Tx): Hooks {
    const hooks = this.hooks.get(tx);
    if (hooks === undefined) throw new Error('There is no open transaction');
    return hooks;
  }

  /** Runs reads that all see the same snapshot, which the first read takes. */
  async snapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return await this.source.transaction('REPEATABLE READ', read);
  }

  /** Runs reads over a single connection, so that they can be {@link pipelined}. */
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
