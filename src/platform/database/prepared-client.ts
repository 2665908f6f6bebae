import type { Socket } from 'node:net';
import pg from 'pg';

/** Most texts that are prepared: those of the service are fewer, and each takes memory in every connection's backend. */
const MAX_STATEMENTS = 500;
/** A prepared statement would answer other columns than before: a migration has run meanwhile. */
const STALE_PLAN = '0A000';
/** How TypeORM begins every transaction. */
const START = 'START TRANSACTION';

/** The names under which this process prepares statements, by their texts. */
const names = new Map<string, string>();
let generation = 0;

/**
 * A connection on which statements cost little, while each is still awaited by itself:
 *
 * - The server parses and plans each text once; further runs of a statement with parameters send the parameters alone.
 *   Texts are meant to be constant, whatever differs between two runs being a parameter.
 * - Statements that are asked for at once (`pipelined`) go out in one piece, run in their order, each with a snapshot of its
 *   own, and their answers come back together. In a transaction, once one has failed those behind it fail as well.
 * - The start of a transaction goes out with its first statement. Should it fail, which takes a server that cancels it, the
 *   connection is given up, so that nothing goes on outside the transaction.
 *
 * Needs the setting `pipeline` of pg.
 */
export class PreparedClient extends pg.Client {
  /** The start of a transaction that no statement has followed yet. */
  private started: Promise<unknown> | undefined;
  private isGathering = false;

  override query = ((...given: unknown[]): unknown => {
    this.gather();
    const [text, values] = given;
    if (text === START) return this.start();
    const { started } = this;
    this.started = undefined;
    const isPlain = given.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const result = isPlain
      ? this.run(text, values)
      : (super.query as (...all: unknown[]) => Promise<pg.QueryResult>)(...given);
    return started === undefined ? result : resultAfter(started, result);
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
      socket.uncork();
    });
  }

  private start(): Promise<pg.QueryResult> {
    this.started = super.query(START);
    // The next statement reports it.
    this.started.catch(() => this.socket.destroy());
    return Promise.resolve(new pg.Result('text', pg.types));
  }

  private async run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.send(text, values);
    } catch (error) {
      if ((error as { code?: string }).code !== STALE_PLAN) throw error;
      // From here on every connection prepares anew; a transaction is over and begins again as a whole.
      names.clear();
      generation += 1;
      if (this.getTransactionStatus() !== 'I') throw error;
      return await this.send(text, values);
    }
  }

  private async send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = nameOf(text);
    if (name === undefined) return await super.query({ text, values });
    // A finished query object: pg copies every configuration property by property, which costs more than the rest of it.
    const query: NamedQuery = new pg.Query(text, values);
    query.name = name;
    return await new Promise((resolve, reject) => {
      query.callback = (error, result) => {
        if (error) reject(error);
        else resolve(result);
      };
      super.query(query);
    });
  }
}

/** What pg reads of a query, beyond its types. */
type NamedQuery = pg.Query & {
  name?: string;
  callback?: (error: Error | null, result: pg.QueryResult) => void;
};

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

/** The result of the first statement of a transaction, which fails where the start has failed. */
async function resultAfter(started: Promise<unknown>, first: Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  const [, result] = await Promise.all([started, first]);
  return result;
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  const name = `s${generation}_${names.size}`;
  names.set(text, name);
  return name;
}
