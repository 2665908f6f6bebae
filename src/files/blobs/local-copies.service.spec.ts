import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LocalFiles } from '../../../test/support/local-files.js';
import { InsufficientStorage, TooLarge } from '../../common/errors/errors.js';
import { ObjectMissing } from '../../storage/object-store.js';
import type { CompanyBlob } from './local-copies.service.js';

const LIMIT = 1_000;
const reason = new Error('The client has gone');

let files: LocalFiles;
beforeEach(async () => {
  files = await LocalFiles.open({ TABLES_FILE_MAX_BYTES: LIMIT });
});
afterEach(async () => await files.close());

const never = (): Promise<never> => Promise.reject(new Error('There was nothing to work on'));

/** Starts work on a copy of a blob. The work runs until the test calls `end`. */
async function underWay(blob: CompanyBlob): Promise<{ end: () => void; ended: Promise<unknown> }> {
  const moments = new EventEmitter();
  const begun = once(moments, 'begun');
  const ended = files.copies.withCopy(blob, async () => {
    moments.emit('begun');
    await once(moments, 'end');
  });
  await Promise.race([begun, ended]);
  return { end: () => void moments.emit('end'), ended };
}

describe('a local copy', () => {
  it('contains the content and is removed after success and failure', async () => {
    const blob = await files.put('a,b\n1,2\n');
    const read = async (path: string): Promise<string> => {
      expect(isAbsolute(path)).toBe(true);
      expect(await files.list('copies')).toHaveLength(1);
      return await readFile(path, 'utf8');
    };
    expect(await files.copies.withCopy(blob, read)).toBe('a,b\n1,2\n');
    await expect(files.copies.withCopy(blob, () => Promise.reject(reason))).rejects.toBe(reason);
    expect(await files.list('copies')).toEqual([]);
  });

  it('is not created if the blob is too large, is missing or would fill the disk', async () => {
    const blob = await files.put('a');
    await expect(files.copies.withCopy({ ...blob, size: LIMIT + 1 }, never)).rejects.toThrow(TooLarge);
    const gone = { ...blob, blob_id: '00000000-0000-7000-8000-000000000000' };
    await expect(files.copies.withCopy(gone, never)).rejects.toThrow(ObjectMissing);
    files.config.TABLES_FILE_MAX_BYTES = Number.MAX_SAFE_INTEGER;
    const huge = { ...blob, size: Number.MAX_SAFE_INTEGER };
    await expect(files.copies.withCopy(huge, never)).rejects.toThrow(InsufficientStorage);
    expect(await files.list('copies')).toEqual([]);
  });

  it('waits until its own company frees space, while other companies proceed', async () => {
    const blob = { ...(await files.put('a')), size: LIMIT };
    const [one, two] = await Promise.all([underWay(blob), underWay(blob)]);
    const order: string[] = [];
    const third = underWay(blob).finally(() => order.push('third'));
    const other = await underWay({ ...blob, company_id: 'b' });
    expect(await files.list('copies')).toHaveLength(3);
    order.push('room');
    one.end();
    const works = [one, two, other, await third];
    expect(order).toEqual(['room', 'third']);
    for (const { end } of works) end();
    await Promise.all(works.map(({ ended }) => ended));
  });

  it('stops waiting when the client disconnects', async () => {
    const blob = { ...(await files.put('a')), size: LIMIT };
    const held = await Promise.all([underWay(blob), underWay(blob)]);
    const client = new AbortController();
    const waiting = files.copies.withCopy(blob, never, client.signal);
    client.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    for (const { end } of held) end();
    await Promise.all(held.map(({ ended }) => ended));
    await expect(files.copies.withCopy(blob, never, client.signal)).rejects.toBe(reason);
    expect(await files.list('copies')).toEqual([]);
    // The space is available again.
    const next = await Promise.all([underWay(blob), underWay(blob)]);
    for (const { end } of next) end();
    await Promise.all(next.map(({ ended }) => ended));
  });
});
