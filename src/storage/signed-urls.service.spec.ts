import { describe, expect, it } from '@jest/globals';
import { Forbidden } from '../common/errors/errors.js';
import type { SecretsService } from '../common/secrets/secrets.service.js';
import { SignedUrlsService } from './signed-urls.service.js';

const withSecret = (byte: number): SignedUrlsService =>
  new SignedUrlsService({ get: () => Promise.resolve(Buffer.alloc(32, byte)) } as unknown as SecretsService);
const urls = withSecret(1);

const baseUrl = 'https://files.example.com/base/';
const part = {
  key: 'blobs/ab',
  uploadId: 'u1',
  partNumber: 7,
  maxBytes: 100,
  expiresAt: new Date(Date.now() + 60_000),
  baseUrl,
};
const download = {
  key: 'blobs/ab',
  fileName: 'Ä & b?.csv',
  contentType: 'text/csv; charset=utf-8',
  expiresAt: part.expiresAt,
  baseUrl,
};

const queryOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams);

describe('a signed URL', () => {
  it('contains the permissions that it grants', async () => {
    const url = await urls.signPart(part);
    expect(url).toMatch(/^https:\/\/files\.example\.com\/base\/store\/blobs\/ab\?/);
    const read = await urls.readPart('blobs/ab', queryOf(url));
    expect(read).toMatchObject({ key: 'blobs/ab', uploadId: 'u1', partNumber: 7, maxBytes: 100 });
    expect(read.expiresAt.getTime()).toBeGreaterThanOrEqual(part.expiresAt.getTime());
    expect(await urls.readDownload('blobs/ab', queryOf(await urls.signDownload(download)))).toMatchObject({
      fileName: 'Ä & b?.csv',
      contentType: 'text/csv; charset=utf-8',
    });
  });

  it('expires at the given time', async () => {
    const url = await urls.signPart({ ...part, expiresAt: new Date(Date.now() - 2_000) });
    await expect(urls.readPart('blobs/ab', queryOf(url))).rejects.toThrow('This URL has expired');
  });

  it.each(['upload', 'part', 'limit', 'expires', 'signature'])(
    'is rejected for a part if its %s is changed or missing',
    async (field) => {
      const query = queryOf(await urls.signPart(part));
      for (const value of ['8', '', `${query[field]}0`]) {
        await expect(urls.readPart('blobs/ab', { ...query, [field]: value })).rejects.toThrow(Forbidden);
      }
      delete query[field];
      await expect(urls.readPart('blobs/ab', query)).rejects.toThrow(Forbidden);
    },
  );

  it.each(['name', 'type', 'expires', 'signature'])(
    'is rejected for a download if its %s is changed',
    async (field) => {
      const query = queryOf(await urls.signDownload(download));
      await expect(urls.readDownload('blobs/ab', { ...query, [field]: 'x' })).rejects.toThrow(Forbidden);
    },
  );

  it('is valid only for a single key, method and secret', async () => {
    const query = queryOf(await urls.signPart(part));
    await expect(urls.readPart('blobs/cd', query)).rejects.toThrow(Forbidden);
    await expect(urls.readDownload('blobs/ab', { ...query, name: 'a', type: 'b' })).rejects.toThrow(Forbidden);
    await expect(withSecret(2).readPart('blobs/ab', query)).rejects.toThrow(Forbidden);
    await expect(urls.readPart('blobs/ab', {})).rejects.toThrow(Forbidden);
  });
});
