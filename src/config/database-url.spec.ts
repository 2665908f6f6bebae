import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

describe('DATABASE_URL', () => {
  const read = (url: string) => loadConfig({ DATABASE_URL: url, AUTH_JWT_SECRET: 'x'.repeat(32) }).DATABASE_URL;

  it.each([
    'hello',
    'localhost:5432/workspace',
    'mysql://u:p@host/workspace',
    'postgres://u:p/x@host/workspace',
    'postgres://u:p#x@host/workspace',
    'postgres://u:100%sure@host/workspace',
    'postgres://u:p@host:port/workspace',
  ])('rejects %s and explains the format', (url) => {
    expect(() => read(url)).toThrow(
      'DATABASE_URL must look like postgres://user:password@host:5432/database; write @ : / ? # % in the user and password as %40 %3A %2F %3F %23 %25',
    );
  });

  it.each([
    'postgres://host/workspace',
    'postgresql://u:p%40%2F%25@host:5433/workspace?sslmode=require',
    'postgres://u:p@[::1]:5432/workspace',
    'postgres:///workspace?host=/var/run/postgresql',
  ])('accepts %s', (url) => {
    expect(read(url)).toBe(url);
  });
});
