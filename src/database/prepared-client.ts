import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * Maximum number of prepared statements. Each takes memory in the backend of every connection. The service has fewer statements
 * than this.
 */
const MAX_STATEMENTS = 500;
/**
 * SQLSTATEs of a prepared statement that the server cannot run: a migration changed its columns, preparing it failed, or one of
 * its parameters could not be sent.
 */
const UNUSABLE = new Set(['0A000', '26000']);

/** Names of the statements that this process prepares, by SQL text. */
const names = new Map<string, string>();
let lastName = 0;

/**
 * Connection that has the server parse and plan each parameterized statement only once. Later runs send only the parameters.
 * SQL statements should therefore be constant, with all varying values as parameters.
 */
export class PreparedClient extends pg.Client {
  override query = ((...args: unknown[]): unknown => {
    const [text, values] = args;
    if (args.length === 2 && typeof text === 'string') {
      if (text === 'COMMIT') return this.commit();
      if (Array.isArray(values) && values.length > 0) return this.run(text, values);
    }
    return (super.query as (...all: unknown[]) => unknown)(...args);
  }) as pg.Client['query'];

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // An error event without a listener would end the process. The pool and TypeORM add their own listeners, but the connection
    // has neither while the pool hands it to TypeORM.
    this.on('error', () => undefined);
    const { connection } = this as unknown as { connection: { attachListeners(stream: Socket): void } };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      containErrors(stream);
      attach(stream);
    };
  }

  private async run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      return await super.query({ name: nameOf(text), text, values });
    } catch (error) {
      const { code = '', severity } = error as { code?: string; severity?: string };
      // The connection closes shortly after this error. Until then, the pool would use it for other statements.
      if (severity === 'FATAL') await this.closed();
      if (!UNUSABLE.has(code)) throw error;
      // Makes every connection prepare the statement again under a new name.
      names.delete(text);
      // The whole transaction has failed. `DatabaseService` runs it again.
      if (this.getTransactionStatus() !== 'I') throw error;
      return await super.query({ name: nameOf(text), text, values });
    }
  }

  private async closed(): Promise<void> {
    await new Promise((resolve) => {
      this.once('end', resolve);
    });
  }

  /**
   * Commits, and throws if the server rolled back instead. The server answers the commit of a failed transaction with a
   * rollback, which must not look like success.
   */
  private async commit(): Promise<pg.QueryResult> {
    const result = await super.query('COMMIT');
    if (result.command !== 'COMMIT')
      throw new Error('Nothing was stored because a statement of the transaction failed');
    return result;
  }
}

/**
 * Limits the effect of an error in the protocol parser to this connection and its pending queries. An example is a value that
 * is too large for a string. Without this, the error would end the process.
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

/**
 * Returns the name of the prepared statement, or undefined beyond {@link MAX_STATEMENTS}. Unnamed statements are parsed on every
 * run.
 */
function nameOf(text: string): string | undefined {
  const existing = names.get(text);
  if (existing !== undefined || names.size >= MAX_STATEMENTS) return existing;
  lastName += 1;
  const name = `s${lastName}`;
  names.set(text, name);
  return name;
}
