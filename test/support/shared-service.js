import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { errorsIn, startProcess, stopProcess } from './service-process.js';

/**
 * The service that test files share, started when the first of them asks for it: a server for them that answers where it
 * is, or 500 and why there is none.
 */
export class SharedService {
  #run;
  #server = createServer((_request, response) => void this.#answer(response));
  #service;

  constructor(run) {
    this.#run = run;
  }

  /** Answers the URL to ask. */
  async listen() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Stops it, if it was ever asked for; answers what the run must fail for, a line each. */
  async stop() {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#service === undefined) return [];
    try {
      const { child, log } = await this.#service;
      const code = await stopProcess(child);
      return [
        ...(code === 0 ? [] : [`It ended with ${child.signalCode ?? `code ${code}`}`]),
        ...errorsIn(log).map((line) => JSON.stringify(line)),
      ];
    } catch (error) {
      return [error.message];
    }
  }

  async #answer(response) {
    try {
      this.#service ??= this.#start();
      const { child, url, environment, complaints } = await this.#service;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended with ${child.signalCode ?? `code ${child.exitCode}`}: ${complaints.join('')}`);
      response.end(JSON.stringify({ url, environment }));
    } catch (error) {
      response.statusCode = 500;
      response.end(error.message);
    }
  }

  async #start() {
    const { admin, template, directory } = this.#run;
    const client = new pg.Client({ connectionString: admin });
    await client.connect();
    await client.query(`CREATE DATABASE shared TEMPLATE ${template}`);
    await client.end();
    const databaseUrl = new URL(admin);
    databaseUrl.pathname = '/shared';
    const environment = {
      databaseUrl: databaseUrl.href,
      dataDir: await mkdtemp(join(directory, 'data-')),
      secret: randomBytes(32).toString('hex'),
    };
    const logFolder = join(directory, 'logs');
    await mkdir(logFolder, { recursive: true });
    const started = await startProcess({ environment, logFolder });
    const complaints = [];
    started.child.stderr.on('data', (said) => complaints.push(String(said)));
    return { ...started, environment, complaints };
  }
}
