import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';

/** A running transaction, passed on explicitly to everything that takes part in it. */
export type Tx = EntityManager;

/**
 * Deadlock, serialisation failure, and statements that were prepared before a migration or not at all ({@link PreparedClient}): the
 * transaction had no effect and can run again.
 */
const RETRIED_CODES = new Set(['40P01', '40001', '0A000', '26000']);
const ATTEMPTS = 4;

type Results<Statements extends readonly unknown[]> = { -readonly [At in keyof Statements]: Awaited<Statements[At]> };

/**
 * The results of statements that need nothing of each other. Each argument is one statement, asked for before anything is
 * awaited, or a value that is no promise and stays as it is. On one connection they go out in one piece and run in their
 * order, each with a snapshot of its own: one behind a lock sees what the lock has waited for. Of failures the first one in
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

/**
 * The last statements of a transaction, asked for and not awaited: they go out in one piece with the commit, and where one fails
 * everything is rolled back. What they answer decides nothing any more.
 */
export class Last<T> {
  constructor(readonly result: Promise<T>) {
    // The commit says first that something has failed.
    result.catch(() => undefined);
  }
}

/** A statement with the values of its parameters. */
export interface Statement {
  text: string;
  parameters: unknown[];
}

/** What is done at the end of a transaction. */
export interface TransactionEnd {
  /**
   * What has to be written last, as it makes others wait until the commit: it goes out in one piece with that, past TypeORM, which
   * would cost the process more than the statements, and where one fails everything is rolled back.
   */
  statements(): Statement[];
  /** Called once the transaction has committed. */
  committed(): void;
}

/** The database as services see it: reads outside transactions and explicit transactions. */
@Injectable()
export class Database implements OnApplicationShutdown {
  /** The ends of transactions that run. */
  private readonly ends = new WeakMap<Tx, TransactionEnd[]>();

  constructor(readonly source: DataSource) {}

  /** For reads outside a transaction; each statement sees its own snapshot. */
  get manager(): EntityManager {
    return this.source.manager;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction and commits when it resolves.
   *
   * After one of {@link RETRIED_CODES} the whole of `work` runs again, up to three more times, so it must have
   * no effects outside the transaction. What it leaves to the commit it answers as {@link Last}.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T | Last<T>>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The level is every connection's default: to set it would be a round trip more.
        return await this.once(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetried(error)) throw error;
      }
    }
  }

  /** Has something done at the end of a running transaction of {@link transaction}. */
  atEnd(tx: Tx, end: TransactionEnd): void {
    const ends = this.ends.get(tx);
    if (ends === undefined) throw new Error('This is not in a transaction');
    ends.push(end);
  }

  private async once<T>(work: (tx: Tx) => Promise<T | Last<T>>): Promise<T> {
    const ends: TransactionEnd[] = [];
    /** What goes out with the commit. */
    let last: Promise<unknown> = Promise.resolve();
    try {
      const result = await this.source.transaction(async (tx) => {
        this.ends.set(tx, ends);
        const done = await work(tx);
        this.ends.delete(tx);
        const sent = done instanceof Last ? [done.result as Promise<unknown>] : [];
        if (ends.length > 0) {
          const connection = (await tx.queryRunner?.connect()) as pg.ClientBase;
          for (const end of ends) sent.push(...end.statements().map((statement) => send(connection, statement)));
        }
        last = pipelined(...sent);
        // Awaited below, when the commit has said that something has failed.
        last.catch(() => undefined);
        return done;
      });
      for (const end of ends) end.committed();
      return result instanceof Last ? await result.result : result;
    } catch (error) {
      // It says better than the commit why that has failed.
      await last;
      throw error;
    }
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
    await this.source.destroy();
  }
}

async function send(connection: pg.ClientBase, { text, parameters }: Statement): Promise<void> {
  try {
    await connection.query(text, parameters);
  } catch (error) {
    throw new QueryFailedError(text, parameters, error as Error);
  }
}

function isRetried(error: unknown): boolean {
  return error instanceof QueryFailedError && RETRIED_CODES.has((error.driverError as { code?: string }).code ?? '');
}
