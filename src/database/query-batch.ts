import pg from 'pg';

/** What pg's client reads of a query and tells it, beyond its types. */
export interface SentQuery extends pg.Query {
  text: string;
  /** Under which the statement is prepared. */
  name: string;
  callback?: (error: Error | null, result: pg.QueryResult) => void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleEmptyQuery(connection: pg.Connection): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
}

/** A connection of pg; `submittedNamedStatements` are those that are sent and not yet known to be prepared. */
type Connection = pg.Connection & { submittedNamedStatements: Record<string, string> };

/**
 * Queries with names that go out in one piece and are answered in one. The server sends its answers where it is told that a piece
 * is over: after each query, that would cost both processes system calls and turns of the processor, which are more than most
 * statements take.
 *
 * Where one fails the server passes over those behind it, and they fail with the same error. So all of them belong to one transaction.
 */
export class QueryBatch extends pg.Query {
  declare name: string | undefined;
  declare text: string;
  declare callback?: SentQuery['callback'];
  /** The query that is being answered. */
  private at = 0;
  private readonly names: readonly string[];

  constructor(private readonly queries: SentQuery[]) {
    super('');
    this.names = queries.map(({ name }) => name);
    this.moveTo(0);
  }

  override submit = (connection: pg.Connection): void => {
    const outcome = { isRefused: false };
    // What a query does at its end, and what it does when a value of it cannot be sent, which it has failed with then.
    const open = Object.create(connection, {
      sync: { value: () => undefined },
      close: { value: () => (outcome.isRefused = true) },
    }) as pg.Connection;
    for (const [at, query] of this.queries.entries()) {
      query.submit(open);
      if (!outcome.isRefused) continue;
      const [, ...behind] = this.queries.splice(at);
      for (const left of behind)
        left.handleError(new Error('A statement before this one could not be sent'), connection);
      break;
    }
    connection.sync();
  };

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current?.handleDataRow(message);
  }

  handleEmptyQuery(connection: pg.Connection): void {
    this.current?.handleEmptyQuery(connection);
    this.moveTo(this.at + 1);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.current?.handleCommandComplete(message, connection);
    this.moveTo(this.at + 1);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.queries) query.handleReadyForQuery(connection);
    this.callback?.(null, new pg.Result('text', pg.types));
  }

  handleError(error: Error, connection: Connection): void {
    // Those that were passed over are not prepared either, nor is one of which a value could not be sent.
    for (const name of this.names.slice(this.at)) Reflect.deleteProperty(connection.submittedNamedStatements, name);
    for (const [at, query] of this.queries.entries()) {
      if (at < this.at) query.handleReadyForQuery(connection);
      else query.handleError(error, connection);
    }
    this.moveTo(this.queries.length);
    this.callback?.(error, new pg.Result('text', pg.types));
  }

  private get current(): SentQuery | undefined {
    return this.queries[this.at];
  }

  /** The client notes by name and text that a statement is prepared. */
  private moveTo(at: number): void {
    this.at = at;
    this.name = this.current?.name;
    this.text = this.current?.text ?? '';
  }
}
