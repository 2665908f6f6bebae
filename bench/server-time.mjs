import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

/** Length of a tick in microseconds. Linux counts processor time in ticks. */
const TICK_US = 10_000;

/** Processor time of a PostgreSQL server on this machine. The server is asked for its process id only once. Requires Linux. */
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

  /** Returns the processor time, in µs, of all server processes so far. Includes processes that have ended. */
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

/** Returns Linux's information about a process, or undefined if the process has ended. */
async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [, parent, ...more] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  if (parent === undefined) return undefined;
  // Fields 14 to 17 of proc_pid_stat(5). `more` starts with the fifth field.
  const [user, system, userOfEnded, systemOfEnded] = more.slice(9, 13).map(Number);
  return { pid: Number(pid), parent: Number(parent), own: user + system, ofEnded: userOfEnded + systemOfEnded };
}
