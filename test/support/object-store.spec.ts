import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { describeObjectStore } from './object-store-contract.js';
import { S3Server } from './s3-server.js';
import { Config, type S3Settings } from '../../src/config/config.js';
import { DomainError, InsufficientStorage, Unavailable } from '../../src/common/errors/errors.js';
import { DiskStore } from '../../src/storage/disk.store.js';
import { DiskTransfersService } from '../../src/storage/disk-transfers.service.js';
import { MinioStore } from '../../src/storage/minio.store.js';
import { InvalidPart } from '../../src/storage/object-store.js';
import type { SecretsService } from '../../src/common/secrets/secrets.service.js';
import { SignedUrlsService } from '../../src/storage/signed-urls.service.js';

const silent = pino({ level: 'silent' });

describeObjectStore('the disk', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'object-store-'));
  const urls = new SignedUrlsService({ get: () => Promise.resolve(Buffer.alloc(32)) } as unknown as SecretsService);
  const store = new DiskStore(Object.assign(new Config(), { DATA_DIR: directory }), urls);
  await store.onModuleInit();
  const transfers = new DiskTransfersService(store, urls, new Config());
  transfers.provide({
    admitPart: ({ maxBytes }) =>
      Promise.resolve({ maxBytes, keep: () => Promise.resolve(), release: () => Promise.resolve() }),
    mayRead: () => Promise.resolve(true),
  });
  // Replaces the controller, so that the test does not need the application.
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const key = pathname.replace('/store/', '');
    const query = Object.fromEntries(searchParams);
    const answer = async (): Promise<void> => {
      if (request.method === 'PUT') {
        response.setHeader('ETag', await transfers.receive(key, query, request)).end();
      } else {
        const { status, headers, body } = await transfers.send(key, query, request.headers.range);
        await pipeline(body, response.writeHead(status, headers));
      }
    };
    answer().catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(error instanceof DomainError ? error.status : 500).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    store,
    // The disk store itself has no limit.
    listedAtOnce: 50,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
      await rm(directory, { recursive: true, force: true });
    },
  };
});

describeObjectStore('S3', async () => {
  const listedAtOnce = 50;
  const server = await S3Server.start({ partsPerPage: 2, objectsPerPage: listedAtOnce });
  const store = new MinioStore(server.settings('contract'), silent);
  return { store, baseUrl: '', listedAtOnce, close: async () => await server.stop() };
});

/** External S3 server. The objects that the tests write remain in its bucket. */
const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY, TEST_S3_BUCKET } = process.env;
if (endpoint !== undefined) {
  const settings = {
    endpoint,
    publicEndpoint: endpoint,
    accessKey: TEST_S3_ACCESS_KEY ?? '',
    secretKey: TEST_S3_SECRET_KEY ?? '',
    bucket: TEST_S3_BUCKET ?? 'object-store-contract',
    region: 'us-east-1',
  };
  describeObjectStore(endpoint, () =>
    Promise.resolve({
      store: new MinioStore(settings, silent),
      baseUrl: '',
      // SeaweedFS lists times in whole seconds.
      timePrecisionMs: 1000,
      close: () => Promise.resolve(),
    }),
  );
}

describe('MinioStore', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(async () => await server.stop());

  const open = (settings: Partial<S3Settings> = {}, timeoutMs?: number): MinioStore =>
    new MinioStore({ ...server.settings('faults'), ...settings }, silent, timeoutMs);

  /** Runs a test with the URL of a server that gives the same response to every request. */
  async function withResponse(status: number, body: string, test: (endpoint: string) => Promise<void>): Promise<void> {
    const constant = createServer((_request, response) => response.writeHead(status).end(body));
    await once(constant.listen(0, '127.0.0.1'), 'listening');
    try {
      await test(`http://127.0.0.1:${(constant.address() as AddressInfo).port}`);
    } finally {
      constant.closeAllConnections();
      constant.close();
    }
  }

  it('creates a missing bucket when several processes start concurrently', async () => {
    const stores = Array.from({ length: 5 }, () => open({ bucket: 'made-at-once' }));
    await Promise.all(stores.map(async (store) => await store.onModuleInit()));
    await stores[0]?.put('blobs/ab', Buffer.from('x'));
    expect(await stores[1]?.size('blobs/ab')).toBe(1);
  });

  it('rejects a part that is too small, unless it is the last part', async () => {
    const store = open();
    const uploadId = await store.startUpload('blobs/small');
    const parts = [];
    for (const partNumber of [1, 2]) {
      const grant = { key: 'blobs/small', uploadId, partNumber, maxBytes: 9, baseUrl: '' };
      const url = await store.signPart({ ...grant, expiresAt: new Date(Date.now() + 60_000) });
      const { headers } = await fetch(url, { method: 'PUT', body: 'small' });
      parts.push({ part_number: partNumber, etag: headers.get('etag')?.replaceAll('"', '') ?? '' });
    }
    await expect(store.completeUpload('blobs/small', uploadId, parts)).rejects.toThrow(InvalidPart);
    expect(await store.listParts('blobs/small', uploadId)).toHaveLength(2);
  });

  it('lists only the newest version of each part if the server also lists replaced versions', async () => {
    const version = (part: number, second: number, size: number): string =>
      `<Part><ETag>&#34;${size}&#34;</ETag><LastModified>2026-01-01T00:00:0${second}Z</LastModified>` +
      `<PartNumber>${part}</PartNumber><Size>${size}</Size></Part>`;
    const versions = [version(2, 5, 20), version(1, 1, 10), version(1, 3, 12), version(1, 2, 11), version(2, 4, 19)];
    const listing = `<ListPartsResult><IsTruncated>false</IsTruncated>${versions.join('')}</ListPartsResult>`;
    await withResponse(200, listing, async (endpoint) => {
      expect(await open({ endpoint }).listParts('blobs/ab', 'upload')).toEqual([
        { part_number: 1, etag: '12', size: 12 },
        { part_number: 2, etag: '20', size: 20 },
      ]);
    });
  });

  it.each([
    ['XMinioStorageFull', 507],
    ['InsufficientStorage', 507],
    ['QuotaExceeded', 403],
  ])('throws InsufficientStorage if the server returns %s', async (code, status) => {
    await withResponse(status, `<Error><Code>${code}</Code></Error>`, async (endpoint) => {
      await expect(open({ endpoint }).check()).rejects.toThrow(InsufficientStorage);
    });
  });

  it('signs URLs for the public endpoint with the requested lifetime, limited to seven days', async () => {
    const grant = { key: 'blobs/ab', fileName: 'a', contentType: 'text/plain', baseUrl: '' };
    const signed = async (seconds: number): Promise<URL> =>
      new URL(await open().signDownload({ ...grant, expiresAt: new Date(Date.now() + seconds * 1000) }));
    expect((await signed(900)).host).toBe(new URL(server.settings('').publicEndpoint).host);
    expect((await signed(900)).searchParams.get('X-Amz-Expires')).toBe('900');
    expect((await signed(-5)).searchParams.get('X-Amz-Expires')).toBe('1');
    expect((await signed(9_999_999)).searchParams.get('X-Amz-Expires')).toBe('604800');
  });

  it('throws Unavailable if the server is not listening, rejects the keys or times out', async () => {
    const nowhere = open({ endpoint: 'http://127.0.0.1:9' });
    await nowhere.onModuleInit();
    await expect(nowhere.put('blobs/ab', Buffer.from('x'))).rejects.toThrow(Unavailable);
    await expect(open({ secretKey: 'wrong' }).size('blobs/ab')).rejects.toThrow(Unavailable);

    const store = open({}, 200);
    await store.put('blobs/late', Buffer.from('x'));
    const standing = server.stall({
      when: 'after',
      matches: ({ method, path }) => method === 'GET' && path.endsWith('late'),
    });
    await expect(store.get('blobs/late')).rejects.toThrow(Unavailable);
    await standing;
    expect(await store.size('blobs/late')).toBe(1);
  });

  describe('the fault log', () => {
    interface Line {
      code?: string;
      advice?: string;
      omitted: number;
      seconds?: number;
      msg: string;
    }
    const logged = (settings: Partial<S3Settings>): { store: MinioStore; lines: Line[] } => {
      const lines: Line[] = [];
      const output = { write: (line: string) => lines.push(JSON.parse(line) as Line) };
      return { store: new MinioStore({ ...server.settings('faults'), ...settings }, pino({}, output)), lines };
    };

    it.each([
      [
        'an unknown access key',
        { accessKey: 'unknown' },
        'InvalidAccessKeyId',
        /^the file store does not know S3_ACCESS_KEY/,
      ],
      ['a wrong secret key', { secretKey: 'wrong' }, 'SignatureDoesNotMatch', /^S3_SECRET_KEY does not belong/],
    ])('contains the error code and advice for %s', async (_what, settings, code, advice) => {
      const { store, lines } = logged(settings);
      await expect(store.check()).rejects.toThrow(Unavailable);
      expect(lines).toEqual([expect.objectContaining({ code, advice: expect.stringMatching(advice), level: 50 })]);
    });

    it.each([
      ['XAdminUserNotFound', /^the file store does not know S3_ACCESS_KEY/],
      ['AuthorizationHeaderMalformed', /^S3_REGION/],
    ])('reports the setting that causes %s', async (code, advice) => {
      await withResponse(400, `<Error><Code>${code}</Code></Error>`, async (endpoint) => {
        const { store, lines } = logged({ endpoint });
        await expect(store.check()).rejects.toThrow(Unavailable);
        expect(lines).toEqual([expect.objectContaining({ code, advice: expect.stringMatching(advice) })]);
      });
    });

    it('warns about a clock difference and gives it as the cause of a rejected request', async () => {
      const refusal = '<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.</Message></Error>';
      let isRefusing = false;
      const ahead = createServer((_request, response) => {
        response.setHeader('Date', new Date(Date.now() + 20 * 60_000).toUTCString());
        response.writeHead(isRefusing ? 403 : 200).end(isRefusing ? refusal : '');
      });
      await once(ahead.listen(0, '127.0.0.1'), 'listening');
      try {
        const { store, lines } = logged({ endpoint: `http://127.0.0.1:${(ahead.address() as AddressInfo).port}` });
        await store.check();
        expect(lines).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining('clock') })]);
        expect(lines[0]?.seconds).toBeGreaterThanOrEqual(-1_201);
        expect(lines[0]?.seconds).toBeLessThan(-1_100);
        isRefusing = true;
        await expect(store.check()).rejects.toThrow(Unavailable);
        expect(lines[1]).toMatchObject({ code: 'RequestTimeTooSkewed', advice: expect.stringContaining('clock') });
      } finally {
        ahead.closeAllConnections();
        ahead.close();
      }
    });

    it('contains only one line for a fault that is repeated immediately', async () => {
      const { store, lines } = logged({ endpoint: 'http://127.0.0.1:9' });
      for (let attempt = 0; attempt < 30; attempt += 1) await expect(store.check()).rejects.toThrow(Unavailable);
      expect(lines).toEqual([expect.objectContaining({ code: 'ECONNREFUSED', omitted: 0 })]);
      const other = logged({ secretKey: 'wrong' });
      await expect(other.store.check()).rejects.toThrow(Unavailable);
      expect(other.lines).toHaveLength(1);
    });
  });

  it('works again as soon as the server is back', async () => {
    const gone = await S3Server.start();
    const settings = gone.settings('again');
    await gone.stop();
    const store = new MinioStore(settings, silent);
    await expect(store.size('blobs/ab')).rejects.toThrow(Unavailable);
    const back = createServer((request, response) => {
      response.writeHead(/^\/again\/?(\?|$)/.test(request.url ?? '') ? 200 : 404).end();
    });
    await once(back.listen(Number(new URL(settings.endpoint).port), '127.0.0.1'), 'listening');
    expect(await store.size('blobs/ab')).toBeUndefined();
    back.closeAllConnections();
    await once(back.close(), 'close');
  });
});
