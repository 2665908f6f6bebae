import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Config } from '../config/config.js';
import { InsufficientStorage, TooLarge } from '../common/errors/errors.js';
import { DiskStore } from './disk.store.js';
import { type PartName, UploadMissing } from './object-store.js';
import type { SecretsService } from '../common/secrets/secrets.service.js';
import { SignedUrlsService } from './signed-urls.service.js';

const MiB = 1024 ** 2;
const newKey = (): string => `blobs/${randomUUID()}`;
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

let directory: string;
let store: DiskStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'object-store-'));
  store = await openStore();
});
afterAll(async () => await rm(directory, { recursive: true, force: true }));

/** Opens the store as a newly started process would. */
async function openStore(): Promise<DiskStore> {
  const config = Object.assign(new Config(), { DATA_DIR: directory });
  const secrets = { get: () => Promise.resolve(Buffer.alloc(32)) } as unknown as SecretsService;
  const opened = new DiskStore(config, new SignedUrlsService(secrets));
  await opened.onModuleInit();
  return opened;
}

const read = async (key: string, start?: number, end?: number): Promise<Buffer> =>
  await buffer(await store.get(key, start === undefined || end === undefined ? undefined : { start, end }));

async function send(key: string, uploadId: string, partNumber: number, bytes: Buffer): Promise<PartName> {
  const etag = await store.putPart(
    { key, uploadId, partNumber, maxBytes: 100 * MiB },
    Readable.from([bytes]),
    bytes.length,
  );
  return { part_number: partNumber, etag };
}

/** Returns the names of the files and folders that remain in a folder of the store. */
const leftIn = async (folder: string): Promise<string[]> => await readdir(join(directory, 'objects', folder));

describe('DiskStore', () => {
  it('rejects a second write with the same key', async () => {
    const key = newKey();
    await store.put(key, Buffer.from('first'));
    await expect(store.put(key, Buffer.from('second'))).rejects.toThrow();
    expect((await read(key)).toString()).toBe('first');
  });

  it('leaves nothing behind if the source fails', async () => {
    const key = newKey();
    const failing = Readable.from(
      (function* () {
        yield Buffer.from('some');
        throw new Error('the source failed');
      })(),
    );
    await expect(store.put(key, failing)).rejects.toThrow('the source failed');
    expect(await store.size(key)).toBeUndefined();
    expect(await leftIn('drafts')).toEqual([]);
  });
});

describe('DiskStore with multipart uploads', () => {
  it('assembles parts in order, even if they were received in a different order', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const bytes = [randomBytes(70_000), randomBytes(80_000), randomBytes(5)];
    const third = await send(key, uploadId, 3, bytes[2] as Buffer);
    const first = await send(key, uploadId, 1, bytes[0] as Buffer);
    const second = await send(key, uploadId, 2, bytes[1] as Buffer);
    expect(first.etag).toBe(md5(bytes[0] as Buffer));
    expect(await store.listParts(key, uploadId)).toEqual([
      { ...first, size: 70_000 },
      { ...second, size: 80_000 },
      { ...third, size: 5 },
    ]);
    expect(await store.size(key)).toBeUndefined();

    await store.completeUpload(key, uploadId, [first, second, third]);
    expect(await read(key)).toEqual(Buffer.concat(bytes));
    expect(await leftIn('uploads')).toEqual([]);
    expect(await leftIn('completing')).toEqual([]);
    await expect(store.listParts(key, uploadId)).rejects.toThrow(UploadMissing);
    await expect(store.completeUpload(key, uploadId, [first, second, third])).rejects.toThrow(UploadMissing);
    await expect(send(key, uploadId, 4, Buffer.from('late'))).rejects.toThrow(UploadMissing);
    expect(await read(key)).toEqual(Buffer.concat(bytes));
  });

  it('reads any range across part boundaries', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const all = randomBytes(25);
    const parts = [
      await send(key, uploadId, 1, all.subarray(0, 10)),
      await send(key, uploadId, 2, all.subarray(10, 10)),
    ];
    parts.push(await send(key, uploadId, 3, all.subarray(10, 18)), await send(key, uploadId, 4, all.subarray(18)));
    await store.completeUpload(key, uploadId, parts);
    await fc.assert(
      fc.asyncProperty(fc.nat(24), fc.nat(24), async (a, b) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        expect(await read(key, start, end)).toEqual(all.subarray(start, end + 1));
      }),
    );
  });

  it('keeps a single complete version of a part that many requests upload at the same time', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const versions = Array.from({ length: 20 }, () => randomBytes(50_000));
    await Promise.all(versions.map(async (bytes) => await send(key, uploadId, 1, bytes)));
    const parts = await store.listParts(key, uploadId);
    expect(parts).toHaveLength(1);
    await store.completeUpload(key, uploadId, parts);
    const kept = await read(key);
    expect(versions.some((bytes) => bytes.equals(kept))).toBe(true);
  });

  it('completes an upload correctly if many requests complete it at the same time', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const parts = [await send(key, uploadId, 1, Buffer.from('one')), await send(key, uploadId, 2, Buffer.from('two'))];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, async () => await store.completeUpload(key, uploadId, parts)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(UploadMissing);
    expect((await read(key)).toString()).toBe('onetwo');
  });

  it('removes an aborted upload with all its parts', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const one = await send(key, uploadId, 1, Buffer.from('one'));
    await store.abortUpload(key, uploadId);
    await store.abortUpload(key, uploadId);
    await expect(store.listParts(key, uploadId)).rejects.toThrow(UploadMissing);
    await expect(store.completeUpload(key, uploadId, [one])).rejects.toThrow(UploadMissing);
    await expect(send(key, uploadId, 2, Buffer.from('two'))).rejects.toThrow(UploadMissing);
    expect(await store.size(key)).toBeUndefined();
    expect(await leftIn('drafts')).toEqual([]);
  });

  it('resumes an upload after a crash, even if the crash occurred during completion', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const one = await send(key, uploadId, 1, Buffer.from('one'));
    const folder = `${key.replace('blobs/', '')}.${uploadId}`;
    await rename(join(directory, 'objects/uploads', folder), join(directory, 'objects/completing', folder));
    store = await openStore();
    expect(await store.listParts(key, uploadId)).toEqual([{ ...one, size: 3 }]);
    await store.completeUpload(key, uploadId, [one]);
    expect((await read(key)).toString()).toBe('one');
  });

  it('rejects a part above its limit and discards it, whether or not its length is declared', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const grant = { key, uploadId, partNumber: 1, maxBytes: 10 };
    const unread = Readable.from([Buffer.alloc(11)]);
    await expect(store.putPart(grant, unread, 11)).rejects.toThrow(TooLarge);
    await expect(store.putPart(grant, Readable.from([Buffer.alloc(6), Buffer.alloc(5)]), 0)).rejects.toThrow(TooLarge);
    expect(await store.listParts(key, uploadId)).toEqual([]);
    expect(await leftIn('drafts')).toEqual([]);
    expect(await store.putPart(grant, Readable.from([Buffer.alloc(10)]), 10)).toBe(md5(Buffer.alloc(10)));
  });

  it('rejects a part that would not fit on the disk', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const grant = { key, uploadId, partNumber: 1, maxBytes: Number.MAX_SAFE_INTEGER };
    await expect(store.putPart(grant, Readable.from([]), Number.MAX_SAFE_INTEGER)).rejects.toThrow(InsufficientStorage);
  });

  it('does not reserve space for declared bytes that have not arrived', async () => {
    const key = newKey();
    const uploadId = await store.startUpload(key);
    const { bavail, bsize } = await statfs(directory);
    const announced = Math.floor((bavail * bsize - 1024 ** 3) * 0.6);
    const grant = { key, uploadId, maxBytes: Number.MAX_SAFE_INTEGER };
    const idle = new PassThrough();
    const waiting = store.putPart({ ...grant, partNumber: 1 }, idle, announced);
    while ((await leftIn('drafts')).length === 0) await setImmediate();
    await store.putPart({ ...grant, partNumber: 2 }, Readable.from([Buffer.alloc(1)]), announced);
    idle.end();
    await waiting;
  });
});
