import type { Socket } from 'node:net';
import pg from 'pg';

/** Each prepared text takes memory in the backend of every connection; the service has fewer texts than this. */
const MAX_STATEMENTS = 500;
/**
 * The server cannot run a prepared statement: a migration has changed its columns, or it is not prepared after all, because it failed
 * where it was to be prepared or a value of it could not be sent.
 */
const UNUSABLE = new Set(['0A000', '26000']);

/** The names under which this process prepares statements, by their texts. */
const names = new Map<string, string>();
let lastName = 0;

/**
 * A connection on which the server parses and plans each statement with parameters once. Further runs send the parameters alone,
 * so a text should be constant and whatever differs between two runs a parameter.
 */
export class PreparedClient extends pg.Client {
  override query = ((...given: unknown[]): unknown => {
    const [text, values] = given;
    if (given.length === 2 && typeof text === 'string') {
      if (text === 'COMMIT') return this.commit();
      if (Array.isArray(values) && values.length > 0) return this.run(text, values);
    }
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

  private async run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      return await super.query({ name: nameOf(text), text, values });
    } catch (error) {
      const { code = '', severity } = error as { code?: string; severity?: string };
      // The connection closes shortly after this error. Until then, the pool would give it to other statements.
      if (severity === 'FATAL') await this.closed();
      if (!UNUSABLE.has(code)) throw error;
      // Every connection prepares the text anew under its next name.
      names.delete(text);
      // A transaction has failed as a whole, and `DatabaseService` runs it again.
      if (this.getTransactionStatus() !== 'I') throw error;
      return await super.query({ name: nameOf(text), text, values });
    }
  }

  private async closed(): Promise<void> {
    await new Promise((resolve) => {
      this.once('end', resolve);
    });
  }

  /** The server answers the commit of a failed transaction with a rollback, which must not look like success. */
  private async commit(): Promise<pg.QueryResult> {
    const result = await super.query('COMMIT');
    if (result.command !== 'COMMIT')
      throw new Error('Nothing is stored, because a statement of the transaction has failed');
    return result;
  }
}

/**
 * Makes an error in the parser of the server's messages, such as a value too large for a string, fail this connection and what waits
 * for it. Without this it would end the process.
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

/** Undefined beyond {@link MAX_STATEMENTS}: such a text is parsed each time. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  lastName += 1;
  const name = `s${lastName}`;
  names.set(text, name);
  return name;
}
