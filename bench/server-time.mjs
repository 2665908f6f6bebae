import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

/** Linux counts processor time in these. */
const TICK_US = 10_000;

/** The processor time of a PostgreSQL on this machine, which is asked once where it runs. Needs Linux. */
export class ServerTime {
  constructor(server) {
    this.server = server;
  }

  static async of(databaseUrl) {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`);
    await client.end();
    const { parent } = await statOf(rows[0].pid);
    return new ServerTime(parent);
  }

  /** In µs so far: of the server's processes and of those that have ended. */
  async us() {
    let ticks = 0;
    for (const name of await readdir('/proc')) {
      const stat = /^\d+$/.test(name) ? await statOf(name) : undefined;
      if (stat === undefined) continue;
      if (stat.parent === this.server) ticks += stat.own;
      if (stat.pid === this.server) ticks += stat.own + stat.ofEnded;
    }
    return ticks * TICK_US;
  }
}

/** What Linux tells of a process; undefined when it has gone. */
async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [, parent, ...more] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  if (parent === undefined) return undefined;
  // Fields 14 to 17 of proc(5); `more` begins with the fifth.
  const [user, system, userOfEnded, systemOfEnded] = more.slice(9, 13).map(Number);
  return { pid: Number(pid), parent: Number(parent), own: user + system, ofEnded: userOfEnded + systemOfEnded };
}
