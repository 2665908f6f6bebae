import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  InvalidPart,
  MIN_PART_SIZE,
  ObjectMissing,
  type ObjectStore,
  type PartName,
  UploadMissing,
} from '../../src/storage/object-store.js';
import { Unavailable } from '../../src/common/errors/errors.js';
import { raw, type RawAnswer } from './raw.js';

/** Store to be tested. */
export interface StoreUnderTest {
  store: ObjectStore;
  /** Base URL of the server that handles signed URLs, for stores that do not handle them. */
  baseUrl: string;
  /** Maximum number of objects returned by a listing request. Defaults to 1000. */
  listedAtOnce?: number;
  /** Precision of the times that the store compares to find the latest version of a part. Defaults to 0. */
  timePrecisionMs?: number;
  close(): Promise<void>;
}

const newKey = (): string => `blobs/${randomUUID()}`;
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const soon = (): Date => new Date(Date.now() + 60_000);

/** Tests that every object store must pass. */
export function describeObjectStore(name: string, open: () => Promise<StoreUnderTest>): void {
  let opened: StoreUnderTest;
  let store: ObjectStore;
  const full = randomBytes(MIN_PART_SIZE);

  const read = async (key: string, start?: number, end?: number): Promise<Buffer> =>
    await buffer(await store.get(key, start === undefined || end === undefined ? undefined : { start, end }));

  async function put(key: string, uploadId: string, partNumber: number, bytes: Buffer): Promise<RawAnswer> {
    const { baseUrl } = opened;
    const url = await store.signPart({ key, uploadId, partNumber, maxBytes: bytes.length, expiresAt: soon(), baseUrl });
    return await raw(url, { method: 'PUT', body: bytes });
  }

  async function send(key: string, uploadId: string, partNumber: number, bytes: Buffer): Promise<PartName> {
    const { status, headers, text } = await put(key, uploadId, partNumber, bytes);
    if (status !== 200) throw new Error(`Part ${partNumber} answered ${status} ${text}`);
    return { part_number: partNumber, etag: headers.etag?.replaceAll('"', '') ?? '' };
  }

  async function download(key: string, fileName: string, headers = {}, contentType = 'text/csv'): Promise<RawAnswer> {
    const { baseUrl } = opened;
    return await raw(await store.signDownload({ key, fileName, contentType, expiresAt: soon(), baseUrl }), { headers });
  }

  /** Repeats a completion. Some S3 servers ignore it and respond as they did the first time. */
  async function completeAgain(key: string, uploadId: string, parts: readonly PartName[]): Promise<void> {
    try {
      await store.completeUpload(key, uploadId, parts);
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
    }
  }

  describe(`object store on ${name}`, () => {
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(async () => await opened.close());

    it.each([0, 1, 200_000, 2 * MIN_PART_SIZE + 7_000_000])('stores objects of %d bytes', async (size) => {
      const bytes = randomBytes(size);
      const [fromBuffer, fromStream] = [newKey(), newKey()];
      expect(await store.put(fromBuffer, bytes)).toBe(size);
      expect(await store.put(fromStream, Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]))).toBe(size);
      for (const key of [fromBuffer, fromStream]) {
        expect((await read(key)).equals(bytes)).toBe(true);
        expect(await store.size(key)).toBe(size);
      }
    });

    it('reports objects as missing before they are written and after they are deleted', async () => {
      const key = newKey();
      expect(await store.size(key)).toBeUndefined();
      await expect(store.get(key)).rejects.toThrow(ObjectMissing);
      await expect(store.get(key, { start: 0, end: 1 })).rejects.toThrow(ObjectMissing);
      await store.put(key, Buffer.from('x'));
      await store.delete([key, newKey()]);
      expect(await store.size(key)).toBeUndefined();
      await expect(store.get(key)).rejects.toThrow(ObjectMissing);
      await store.delete([]);
    });

    it('deletes and lists more objects than a single request can handle', async () => {
      const keys = Array.from({ length: (opened.listedAtOnce ?? 1_000) + 100 }, newKey);
      for (let from = 0; from < keys.length; from += 50) {
        await Promise.all(keys.slice(from, from + 50).map(async (key) => await store.put(key, Buffer.from('x'))));
      }
      const listed = async (kind = 'blobs'): Promise<string[]> => {
        const found = new Set<string>();
        for await (const { key } of store.list(kind)) found.add(key);
        return keys.filter((key) => found.has(key));
      };
      expect(await listed()).toEqual(keys);
      expect(await listed('other')).toEqual([]);
      // Missing keys also count towards the limit of a request. Some of the keys are in the first request and the
      // others in the last.
      await store.delete([...keys.slice(0, 50), ...Array.from({ length: 1_000 }, newKey), ...keys.slice(50)]);
      expect(await listed()).toEqual([]);
    }, 60_000);

    it.each([10, 2 * MIN_PART_SIZE])('keeps nothing if the source fails after %d bytes', async (size) => {
      const key = newKey();
      const failing = Readable.from(
        (function* () {
          yield Buffer.alloc(size);
          throw new Error('the source failed');
        })(),
      );
      await expect(store.put(key, failing)).rejects.toThrow('the source failed');
      expect(await store.size(key)).toBeUndefined();
    });

    it.each(['../../etc', 'blobs/../x', 'blobs/a/b', '/blobs/ab', 'blobs/a', ''])(
      'rejects the invalid key %j',
      async (key) => {
        await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('is not a valid key');
        await expect(store.get(key)).rejects.toThrow('is not a valid key');
        await expect(store.startUpload(key)).rejects.toThrow('is not a valid key');
      },
    );

    it('returns any range', async () => {
      const key = newKey();
      const all = randomBytes(25);
      await store.put(key, all);
      await fc.assert(
        fc.asyncProperty(fc.nat(30), fc.nat(30), async (start, end) => {
          expect(await read(key, start, end)).toEqual(all.subarray(start, end + 1));
        }),
        { numRuns: 40, examples: [[0, 0]] },
      );
      const empty = newKey();
      await store.put(empty, Buffer.alloc(0));
      expect(await read(empty, 0, -1)).toEqual(Buffer.alloc(0));
      expect(await read(empty, 0, 5)).toEqual(Buffer.alloc(0));
    });

    it('assembles the parts of an object regardless of the order in which they arrive', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const second = randomBytes(MIN_PART_SIZE + 3);
      const parts = [
        await send(key, uploadId, 30, Buffer.from('last')),
        await send(key, uploadId, 1, full),
        await send(key, uploadId, 2, second),
      ];
      const [last, first, middle] = parts as [PartName, PartName, PartName];
      expect(first.etag).toBe(md5(full));
      expect(await store.listParts(key, uploadId)).toEqual([
        { ...first, size: full.length },
        { ...middle, size: second.length },
        { ...last, size: 4 },
      ]);
      expect(await store.size(key)).toBeUndefined();

      await store.completeUpload(key, uploadId, [first, middle, last]);
      const whole = Buffer.concat([full, second, Buffer.from('last')]);
      expect((await read(key)).equals(whole)).toBe(true);
      const seam = full.length + second.length;
      expect(await read(key, seam - 2, seam + 1)).toEqual(whole.subarray(seam - 2, seam + 2));
      await expect(store.listParts(key, uploadId)).rejects.toThrow(UploadMissing);
      await completeAgain(key, uploadId, [first, middle, last]);
      expect((await put(key, uploadId, 4, Buffer.from('late'))).status).toBe(404);
      expect((await read(key)).equals(whole)).toBe(true);
    }, 60_000);

    it('omits parts that are not listed', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      await send(key, uploadId, 1, Buffer.from('one'));
      const two = await send(key, uploadId, 2, Buffer.from('two'));
      await store.completeUpload(key, uploadId, [two]);
      expect((await read(key)).toString()).toBe('two');
    });

    it('assembles an empty object from no parts or from an empty part', async () => {
      const [none, empty] = [newKey(), newKey()];
      const uploadId = await store.startUpload(none);
      await store.completeUpload(none, uploadId, []);
      expect(await store.size(none)).toBe(0);
      await expect(store.completeUpload(none, uploadId, [])).rejects.toThrow(UploadMissing);
      const other = await store.startUpload(empty);
      await store.completeUpload(empty, other, [await send(empty, other, 1, Buffer.alloc(0))]);
      expect(await read(empty)).toEqual(Buffer.alloc(0));
    });

    it('keeps the last received version of a part', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      await send(key, uploadId, 1, Buffer.from('old'));
      await setTimeout(opened.timePrecisionMs ?? 0);
      const now = await send(key, uploadId, 1, Buffer.from('newer'));
      expect(await store.listParts(key, uploadId)).toEqual([{ ...now, size: 5 }]);
      await store.completeUpload(key, uploadId, [now]);
      expect((await read(key)).toString()).toBe('newer');
    });

    it('never replaces the named version of a part with a later version', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const old = await send(key, uploadId, 1, Buffer.from('old'));
      const now = await send(key, uploadId, 1, Buffer.from('newer'));
      const error = await store.completeUpload(key, uploadId, [old]).catch((reason: unknown) => reason);
      // SeaweedFS still has the earlier version.
      if (error !== undefined) {
        expect(error).toBeInstanceOf(InvalidPart);
        await store.completeUpload(key, uploadId, [now]);
      }
      expect((await read(key)).toString()).toBe(error === undefined ? 'old' : 'newer');
    });

    it('keeps an upload unchanged if a listed part is missing', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const one = await send(key, uploadId, 1, full);
      for (const wrong of [
        { ...one, part_number: 2 },
        { part_number: 2, etag: md5(Buffer.from('two')) },
      ]) {
        await expect(store.completeUpload(key, uploadId, [one, wrong])).rejects.toThrow(InvalidPart);
      }
      const two = await send(key, uploadId, 2, Buffer.from('two'));
      await store.completeUpload(key, uploadId, [one, two]);
      expect(await store.size(key)).toBe(full.length + 3);
    });

    it('completes an upload only once if requests are concurrent', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const parts = [await send(key, uploadId, 1, full), await send(key, uploadId, 2, Buffer.from('two'))];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, async () => await store.completeUpload(key, uploadId, parts)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        // A server may fail a completion that another completion overtakes. The next attempt then returns the result.
        if (outcome.reason instanceof Unavailable) await completeAgain(key, uploadId, parts);
        else expect(outcome.reason).toBeInstanceOf(UploadMissing);
      }
      expect(await store.size(key)).toBe(full.length + 3);
    });

    it('deletes an aborted upload and its parts', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const one = await send(key, uploadId, 1, Buffer.from('one'));
      await store.abortUpload(key, uploadId);
      await store.abortUpload(key, uploadId);
      await expect(store.listParts(key, uploadId)).rejects.toThrow(UploadMissing);
      await expect(store.completeUpload(key, uploadId, [one])).rejects.toThrow(UploadMissing);
      expect((await put(key, uploadId, 2, Buffer.from('two'))).status).toBe(404);
      expect(await store.size(key)).toBeUndefined();
    });

    it('aborts all uploads for a key', async () => {
      const [key, other] = [newKey(), newKey()];
      const ids = [await store.startUpload(key), await store.startUpload(key)];
      const kept = await store.startUpload(other);
      await store.abortUpload(key);
      for (const id of ids) await expect(store.listParts(key, id)).rejects.toThrow(UploadMissing);
      expect(await store.listParts(other, kept)).toEqual([]);
      await store.abortUpload(key);
    });

    it('finds an upload only by its key and its id', async () => {
      const [key, other] = [newKey(), newKey()];
      const uploadId = await store.startUpload(key);
      await expect(store.listParts(other, uploadId)).rejects.toThrow(UploadMissing);
      await expect(store.listParts(key, randomUUID())).rejects.toThrow(UploadMissing);
    });

    it('signs URLs for reading whole objects and ranges as attachments', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('0123456789'));
      const whole = await download(key, 'plan.csv');
      expect(whole).toMatchObject({ status: 200, text: '0123456789' });
      expect(whole.headers).toMatchObject({
        'content-type': 'text/csv',
        'content-length': '10',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
      });
      const part = await download(key, 'plan.csv', { range: 'bytes=2-4' });
      expect(part).toMatchObject({ status: 206, text: '234', headers: { 'content-range': 'bytes 2-4/10' } });
      expect((await download(newKey(), 'plan.csv')).status).toBe(404);
    });

    it.each(['plain.csv', 'Ünï cödé 日本.csv', 'a b%20c+d#e?f&g=h.csv', 'it\'s (a) "file";*!.csv', '\u{1f600}'])(
      'signs URLs that download an object as %j',
      async (fileName) => {
        const key = newKey();
        await store.put(key, Buffer.from('x'));
        const { status, headers } = await download(key, fileName);
        expect(status).toBe(200);
        const disposition = headers['content-disposition'] ?? '';
        expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''/);
        expect(decodeURIComponent(disposition.replace(/^.*''/, ''))).toBe(fileName);
      },
    );

    it('rejects a signed URL that was changed', async () => {
      const key = newKey();
      const uploadId = await store.startUpload(key);
      const { baseUrl } = opened;
      const grant = { key, uploadId, maxBytes: 10, expiresAt: soon(), baseUrl };
      const url = await store.signPart({ ...grant, partNumber: 1 });
      const other = new URL(await store.signPart({ ...grant, partNumber: 2 }));
      const changed = new URL(url);
      changed.search = changed.search.replace(/(part(?:Number)?)=1/, '$1=2');
      expect(changed.href).not.toBe(url);
      expect((await raw(changed.href, { method: 'PUT', body: 'a' })).status).toBe(403);
      other.pathname = other.pathname.replace(/[^/]+$/, randomUUID());
      expect((await raw(other.href, { method: 'PUT', body: 'a' })).status).toBe(403);
      expect((await raw(url)).status).toBe(403);
      expect(await store.listParts(key, uploadId)).toEqual([]);
    });
  });
}
