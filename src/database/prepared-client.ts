import type { Socket } from 'node:net';
import pg from 'pg';
import { QueryBatch, type SentQuery } from './query-batch.js';

/** Most texts that are prepared: those of the service are fewer, and each takes memory in every connection's backend. */
const MAX_STATEMENTS = 500;
/** A prepared statement would answer other columns than before: a migration has run meanwhile. */
const STALE_PLAN = '0A000';
/** A statement that went out before with the same text has failed where it would have been prepared. */
const NOT_PREPARED = '26000';
/** How TypeORM begins and ends transactions. */
const START = 'START TRANSACTION';
const COMMIT = 'COMMIT';
const ROLLBACK = 'ROLLBACK';

/** The names under which this process prepares statements, by their texts. */
const names = new Map<string, string>();
let generation = 0;

/**
 * A connection on which statements cost little, while each is still awaited by itself:
 *
 * - The server parses and plans each text once; further runs of a statement with parameters send the parameters alone.
 *   Texts are meant to be constant, whatever differs between two runs being a parameter.
 * - Statements that are asked for at once (`pipelined`) go out in one piece, run in their order, each with a snapshot of its
 *   own, and their answers come back together: those of a transaction as one {@link QueryBatch}, where once one has failed those
 *   behind it fail with the same error.
 * - The start of a transaction goes out with its first statement, and its end with the last one where that is not awaited. Should
 *   the start fail, which takes a server that cancels it, the connection is given up, so that nothing goes on outside the
 *   transaction. A commit that stores nothing fails.
 *
 * Needs the setting `pipeline` of pg.
 */
export class PreparedClient extends pg.Client {
  private isGathering = false;
  private isInTransaction = false;
  /** What this step of the process has asked for in a transaction. */
  private gathered: SentQuery[] = [];

  override query = ((...given: unknown[]): unknown => {
    this.gather();
    const [text, values] = given;
    if (given.length <= 2 && typeof text === 'string') {
      if (text === START) return this.start();
      if (Array.isArray(values) && values.length > 0) return this.run(text, values);
      if (this.isInTransaction && text === COMMIT) return this.commit();
      if (this.isInTransaction && text === ROLLBACK) return this.rollBack();
    }
    this.sendGathered();
    return (super.query as (...all: unknown[]) => unknown)(...given);
  }) as pg.Client['query'];

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: { attachListeners(stream: Socket): void } };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      containErrors(stream);
      attach(stream);
    };
  }

  private get socket(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream;
  }

  /** Sends what this step of the process asks for when the step is over. */
  private gather(): void {
    if (this.isGathering) return;
    const { socket } = this;
    this.isGathering = true;
    socket.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.sendGathered();
      socket.uncork();
    });
  }

  private sendGathered(): void {
    const queries = this.gathered;
    if (queries.length === 0) return;
    this.gathered = [];
    super.query(new QueryBatch(queries));
  }

  private start(): Promise<pg.QueryResult> {
    this.isInTransaction = true;
    // The next statement reports it.
    this.send(START, []).catch(() => this.socket.destroy());
    return Promise.resolve(new pg.Result('text', pg.types));
  }

  private async commit(): Promise<pg.QueryResult> {
    const committed = this.send(COMMIT, []);
    this.isInTransaction = false;
    const result = await committed;
    // So the server answers in a transaction of which a statement has failed.
    if (result.command === ROLLBACK) throw new Error('Nothing is stored, as a statement of the transaction has failed');
    return result;
  }

  private rollBack(): Promise<pg.QueryResult> {
    // In a piece of its own: behind a statement that fails the server would pass over it.
    this.sendGathered();
    const rolledBack = this.send(ROLLBACK, []);
    this.isInTransaction = false;
    return rolledBack;
  }

  private async run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const { isInTransaction } = this;
    try {
      return await this.send(text, values);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== STALE_PLAN && code !== NOT_PREPARED) throw error;
      if (code === STALE_PLAN) {
        // From here on every connection prepares anew.
        names.clear();
        generation += 1;
      }
      // A transaction is over and begins again as a whole.
      if (isInTransaction) throw error;
      return await (code === STALE_PLAN ? this.send(text, values) : this.sendUnprepared(text, values));
    }
  }

  private async sendUnprepared(text: string, values: unknown[]): Promise<pg.QueryResult> {
    this.sendGathered();
    return await super.query({ text, values });
  }

  private async send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = nameOf(text);
    if (name === undefined) return await this.sendUnprepared(text, values);
    // A finished query object: pg copies every configuration property by property, which costs more than the rest of it.
    const query = new pg.Query(text, values) as SentQuery;
    query.name = name;
    return await new Promise((resolve, reject) => {
      query.callback = (error, result) => {
        if (error) reject(error);
        else resolve(result);
      };
      this.gathered.push(query);
      if (!this.isInTransaction) this.sendGathered();
    });
  }
}

/**
 * Has an error in the reading of what the server sends, such as a value too large for a text, end this connection and fail
 * what waits for it. Otherwise it would end the process.
 */
function containErrors(stream: Socket): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...args);
    try {
      return emit(event, ...args);
    } catch (error) {
      stream.destroy(error as Error);
      return true;
    }
  };
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  const name = `s${generation}_${names.size}`;
  names.set(text, name);
  return name;
}
