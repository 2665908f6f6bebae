import pg from 'pg';

/** Most texts that are prepared: those of the service are fewer, and each takes memory in every connection's backend. */
const MOST_STATEMENTS = 500;
/** A prepared statement would answer other columns than before: a migration has run meanwhile. */
const STALE_PLAN = '0A000';

/** The names under which this process prepares statements, by their texts. */
const names = new Map<string, string>();
let generation = 0;

/**
 * A connection that has the server parse and plan each text once; further runs of a statement with parameters send the
 * parameters alone. Texts are meant to be constant, whatever differs between two runs being a parameter.
 */
export class PreparingClient extends pg.Client {
  override query = ((...given: unknown[]): unknown => {
    const [text, values] = given;
    const isPlain = given.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
    return isPlain ? this.run(text, values) : (super.query as (...all: unknown[]) => unknown)(...given);
  }) as pg.Client['query'];

  private async run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const isInTransaction = this.getTransactionStatus() !== 'I';
    try {
      return await this.send(text, values);
    } catch (error) {
      if ((error as { code?: string }).code !== STALE_PLAN) throw error;
      // From here on every connection prepares anew; a transaction is over and begins again as a whole.
      names.clear();
      generation += 1;
      if (isInTransaction) throw error;
      return await this.send(text, values);
    }
  }

  private async send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = nameOf(text);
    return await super.query(name === undefined ? { text, values } : { name, text, values });
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_STATEMENTS) return known;
  const name = `s${generation}_${names.size}`;
  names.set(text, name);
  return name;
}
