import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { errorsIn, startProcess, stopProcess } from './service-process.js';

/**
 * Services shared by test files. Each service starts when a file first requests it.
 *
 * This class is an HTTP server that returns the address of a named service, or 500 with the reason why the service
 * cannot run. Names are paths such as `/all`.
 */
export class SharedServices {
  #run;
  #server = createServer(({ url }, response) => void this.#answer(url, response));
  #services = new Map();

  constructor(run) {
    this.#run = run;
  }

  /** Starts the server and returns its URL. */
  async listen() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Stops all services that were started. Returns one line for each reason to fail the run. */
  async stop() {
    this.#server.close();
    this.#server.closeAllConnections();
    return (await Promise.all([...this.#services.values()].map(stopped))).flat();
  }

  async #answer(name, response) {
    try {
      if (!this.#services.has(name)) this.#services.set(name, this.#start());
      const { child, url, environment, complaints } = await this.#services.get(name);
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended with ${child.signalCode ?? `code ${child.exitCode}`}: ${complaints.join('')}`);
      response.end(JSON.stringify({ url, pid: child.pid, environment }));
    } catch (error) {
      response.statusCode = 500;
      response.end(error.message);
    }
  }

  async #start() {
    const { admin, template, directory } = this.#run;
    const database = `shared_${randomBytes(8).toString('hex')}`;
    const client = new pg.Client({ connectionString: admin });
    await client.connect();
    await client.query(`CREATE DATABASE ${database} TEMPLATE ${template}`);
    await client.end();
    const databaseUrl = new URL(admin);
    databaseUrl.pathname = `/${database}`;
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

/** Stops a service and returns its faults. */
async function stopped(service) {
  try {
    const { child, log } = await service;
    const code = await stopProcess(child);
    return [
      ...(code === 0 ? [] : [`It ended with ${child.signalCode ?? `code ${code}`}`]),
      ...errorsIn(log).map((line) => JSON.stringify(line)),
    ];
  } catch (error) {
    return [error.message];
  }
}
