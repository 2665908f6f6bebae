import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

describe('settings read from files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
    writeFileSync(join(folder, 'secret'), `${'s'.repeat(40)}\n`);
    writeFileSync(join(folder, 'empty'), '\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are used if the variables themselves are absent', () => {
    const AUTH_JWT_SECRET_FILE = join(folder, 'secret');
    expect(loadConfig({ AUTH_JWT_SECRET_FILE }).AUTH_JWT_SECRET).toBe('s'.repeat(40));
    expect(loadConfig({ AUTH_JWT_SECRET_FILE, AUTH_JWT_SECRET: 'v'.repeat(40) }).AUTH_JWT_SECRET).toBe('v'.repeat(40));
    expect(loadConfig({ AUTH_JWT_SECRET_FILE: join(folder, 'empty') }).AUTH_JWT_SECRET).toBeUndefined();
    expect(loadConfig({ AUTH_JWT_SECRET_FILE: '' }).AUTH_JWT_SECRET).toBeUndefined();
  });

  it('are rejected if the file is unreadable or its value is invalid', () => {
    expect(() => loadConfig({ DATABASE_URL_FILE: join(folder, 'nowhere') })).toThrow(
      'the file in DATABASE_URL_FILE cannot be read: ENOENT',
    );
    expect(() => loadConfig({ PORT_FILE: join(folder, 'secret') })).toThrow('PORT must be');
  });
});
