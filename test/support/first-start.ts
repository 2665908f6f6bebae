import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { testRun } from './run.js';
import { removeEnvironment, Service } from './service.js';

/** Service as started from a fresh clone, without any settings. */
export interface FirstStart {
  readonly url: string;
  /** Tokens that the service printed. */
  readonly tokens: { company: string; member: string };
}

/** Starts a service for the tests of a file, with an embedded database, demo data and development tokens. */
export function useFirstStart(): FirstStart {
  let service: Service;
  let tokens: FirstStart['tokens'];
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(testRun().directory, 'data-'));
    const settings = { DATABASE_URL: '', AUTH_JWT_SECRET: '' };
    service = await Service.start({ environment: { databaseUrl: '', dataDir, secret: '' }, settings });
    tokens = JSON.parse(await readFile(join(dataDir, 'dev-tokens.json'), 'utf8')) as typeof tokens;
  }, 100_000);
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await removeEnvironment(service.environment);
  }, 60_000);
  return {
    get url() {
      return service.url;
    },
    get tokens() {
      return tokens;
    },
  };
}
