import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { assertSuitable, UnsuitableDatabaseError } from '../../../src/database/suitable-database.js';
import { createDatabase, dropDatabase } from '../../support/databases.js';

let url: string;
const sessions: pg.Client[] = [];
beforeAll(async () => {
  url = await createDatabase();
});
afterAll(async () => {
  await Promise.all(sessions.map(async (session) => await session.end()));
  await dropDatabase(url);
});

async function openSession(options = '-c timezone=UTC'): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url, options });
  await session.connect();
  sessions.push(session);
  return session;
}

/** Returns a connection to a pooler that assigns the session chosen by `choose` to each transaction. */
const pooled = (choose: () => pg.Client): pg.Client =>
  ({
    query: async (text: string) => await choose().query(text),
    end: () => Promise.resolve(),
  }) as unknown as pg.Client;

describe('a database behind a pooler', () => {
  it('is accepted if each connection keeps its own session', async () => {
    const [one, other] = [await openSession(), await openSession()];
    await assertSuitable(one, () => Promise.resolve(pooled(() => other)));
  });

  it.each<[string, (sessions: pg.Client[]) => [pg.Client, pg.Client]]>([
    [
      'shares one session among all connections',
      ([first]) => [pooled(() => first as pg.Client), pooled(() => first as pg.Client)],
    ],
    [
      'assigns sessions in turn',
      (all) => {
        let lent = 0;
        const next = (): pg.Client => all[lent++ % all.length] as pg.Client;
        return [pooled(next), pooled(next)];
      },
    ],
    [
      'assigns a random session',
      (all) => {
        const any = (): pg.Client => all[Math.floor(Math.random() * all.length)] as pg.Client;
        return [pooled(any), pooled(any)];
      },
    ],
  ])('is rejected if the pooler %s', async (_what, lend) => {
    const [one, other] = lend([await openSession(), await openSession(), await openSession()]);
    await expect(assertSuitable(one, () => Promise.resolve(other))).rejects.toThrow(
      'DATABASE_URL points to a pooler in transaction mode',
    );
  });

  it('is rejected if its pooler does not keep the session time zone', async () => {
    const session = await openSession('-c timezone=Europe/Berlin');
    const attempt = assertSuitable(session, async () => await openSession());
    await expect(attempt).rejects.toThrow(UnsuitableDatabaseError);
    await expect(attempt).rejects.toThrow("sessions use Europe/Berlin: run ALTER ROLE ... SET timezone = 'UTC'");
  });
});
