import { describe, expect, it } from '@jest/globals';
import { otherVariables } from './config/load-config.js';
import { misspelledSettings } from './misspelled-settings.js';

const foundIn = (environment: Record<string, string>) => misspelledSettings(otherVariables(environment));

describe('misspelledSettings', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['S3_ACCES_KEY', 'S3_ACCESS_KEY'],
    ['S3_ENDPIONT', 'S3_ENDPOINT'],
    ['AUTH_JWT_SECRETS', 'AUTH_JWT_SECRET'],
    ['PROT', 'PORT'],
    ['ROLES', 'ROLE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATABASE_ULR_FILE', 'DATABASE_URL_FILE'],
  ])('recognizes %s as a misspelling of %s', (name, meant) => {
    expect(foundIn({ [name]: 'x' })).toEqual([{ name, setting: meant }]);
  });

  it.each(['HOME', 'HOSTNAME', 'PATH', 'PWD', 'USER', 'SHELL', 'NODE_ENV', 'AWS_REGION', 'PGHOST', 'KUBERNETES_PORT'])(
    'ignores %s as a variable of another program',
    (name) => {
      expect(foundIn({ [name]: 'x' })).toEqual([]);
    },
  );

  it('ignores correctly spelled settings, including their variants that name a file', () => {
    expect(foundIn({ DATABASE_URL: 'x', DATABASE_URL_FILE: 'x', S3_BUCKET_FILE: 'x' })).toEqual([]);
  });
});
