import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  BadRequestError,
  FileChangedError,
  NotFoundError,
  type UploadProgress,
  type UploadState,
  type WorkspaceClient,
} from '@project-workspace/client';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { hashOf, makeRandomFile } from '../../support/random-file.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { checkedFetch, typedClient } from '../../support/typed-client.js';

const MiB = 1024 ** 2;
/** Size of the uploaded file. `npm run test:client` sets it to a gigabyte. */
const SIZE = Number(process.env['UPLOAD_MIB'] ?? 64) * MiB;

const service = useSharedService();
let session: Session;
let project_id: string;
beforeAll(async () => {
  session = await service.session();
  ({ id: project_id } = await makeProject(session.client));
});

/** Failure of a part in transit. Undefined if the part arrives. */
type Fate = 'broken off' | 'lost' | undefined;

/** Returns a client whose parts fail according to `fate`. `sent` contains the number of each part that was sent. */
function withParts(fate: (part: number, times: number) => Fate = () => undefined) {
  const sent: number[] = [];
  let most = 0;
  let now = 0;
  const client: WorkspaceClient = typedClient(service.url, session, {
    retry: { minDelayMs: 5, maxDelayMs: 50 },
    fetch: async (request) => {
      if (request.method !== 'PUT') return await checkedFetch(request);
      const part = Number(/part(?:Number|_number)?[=/](\d+)/i.exec(request.url)?.[1]);
      sent.push(part);
      const fares = fate(part, sent.filter((one) => one === part).length);
      if (fares === 'lost') return new Response(null, { status: 200 });
      if (fares === 'broken off') throw new TypeError('The connection was lost');
      most = Math.max(most, (now += 1));
      try {
        return await fetch(request);
      } finally {
        now -= 1;
      }
    },
  });
  return { client, sent, most: () => most };
}

/** Returns the hash of the stored file. */
async function storedHash(client: WorkspaceClient, path: string): Promise<string> {
  const { data } = await client.POST('/api/v1/files/download', { body: { source: 'workspace', project_id, path } });
  return await hashOf(data.url);
}

const target = (path: string) => ({ source: 'workspace' as const, project_id, path });

describe('an upload', () => {
  it('resumes after a pause and a reload, and resends lost parts', async () => {
    const { path, hash } = await makeRandomFile(SIZE);
    const pausing = new AbortController();
    const before = withParts((part, times) => (part === 3 && times <= 2 ? 'broken off' : undefined));
    let kept = '';
    const progress: UploadProgress[] = [];
    const paused = before.client.upload(await openAsBlob(path), target('large.bin'), {
      signal: pausing.signal,
      onStart: (state) => (kept = JSON.stringify(state)),
      onProgress: (reached) => {
        progress.push(reached);
        if (reached.loaded >= SIZE / 2) pausing.abort('paused');
      },
    });
    await expect(paused).rejects.toBe('paused');
    expect(before.sent.filter((part) => part === 3)).toHaveLength(3);
    expect(before.most()).toBeLessThanOrEqual(3);
    expect(progress[0]).toEqual({ loaded: 0, total: SIZE });

    const state = JSON.parse(kept) as UploadState;
    const parts = Math.ceil(SIZE / state.part_size);
    // The store has lost the last part, which it reports only when it assembles the file.
    const after = withParts((part, times) => (part === parts && times === 1 ? 'lost' : undefined));
    const resumed: UploadProgress[] = [];
    const entry = await after.client.upload(await openAsBlob(path), target('large.bin'), {
      resume: state,
      onProgress: (reached) => resumed.push(reached),
    });
    expect(entry).toMatchObject({ path: 'large.bin', size: SIZE });
    expect(resumed[0]?.loaded).toBeGreaterThanOrEqual(SIZE / 2);
    expect(resumed.at(-1)).toEqual({ loaded: SIZE, total: SIZE });
    // Parts that were in transit when the upload was paused may have arrived.
    expect(after.sent.length).toBeLessThanOrEqual(parts / 2 + 1);
    expect(after.sent.filter((part) => part === parts)).toHaveLength(2);
    expect(new Set([...before.sent, ...after.sent]).size).toBe(parts);
    expect(await storedHash(after.client, 'large.bin')).toBe(hash);
  }, 300_000);

  it('has the type and bytes of its Blob, even if the Blob is small or empty', async () => {
    const { client } = withParts();
    const csv = await client.upload(new Blob(['a,b\n'], { type: 'text/csv' }), target('small.csv'));
    expect(csv).toMatchObject({ path: 'small.csv', size: 4, content_type: 'text/csv', source: 'upload' });
    const empty = await client.upload(new Blob([]), { ...target('empty.txt'), content_type: 'text/plain' });
    expect(empty).toMatchObject({ size: 0, content_type: 'text/plain' });
  });

  it('returns the same file if it was already completed, and rejects a different file', async () => {
    const { client, sent } = withParts();
    const file = new Blob(['content']);
    const states: UploadState[] = [];
    const entry = await client.upload(file, target('done.txt'), { onStart: (state) => states.push(state) });
    const [state] = states;
    expect(await client.upload(file, target('done.txt'), { resume: state })).toEqual(entry);
    expect(sent).toHaveLength(1);
    const another = client.upload(new Blob(['other content']), target('done.txt'), { resume: state });
    await expect(another).rejects.toBeInstanceOf(FileChangedError);
  });

  it('is aborted after a failure if the caller has not received its state, and stays resumable otherwise', async () => {
    const aborted: Promise<string>[] = [];
    const client = typedClient(service.url, session, {
      retry: { maxRetries: 0 },
      fetch: async (request) => {
        if (request.method === 'PUT') return new Response('{"detail":"No.","code":"part_too_large"}', { status: 400 });
        const isAbort = request.url.endsWith('/abort');
        if (isAbort) aborted.push(request.clone().text());
        return await checkedFetch(request);
      },
    });
    const states: UploadState[] = [];
    const failing = client.upload(new Blob(['x']), target('kept.txt'), { onStart: (state) => states.push(state) });
    await expect(failing).rejects.toBeInstanceOf(BadRequestError);
    expect(await withParts().client.upload(new Blob(['x']), target('kept.txt'), { resume: states[0] })).toMatchObject({
      path: 'kept.txt',
    });
    await expect(client.upload(new Blob(['x']), target('gone.txt'))).rejects.toBeInstanceOf(BadRequestError);
    await eventually(
      () => Promise.resolve(aborted.length),
      (times) => times > 0,
      { until: 'it is aborted' },
    );
    expect(aborted).toHaveLength(1);
    const { upload_token } = JSON.parse((await aborted[0]) ?? '') as { upload_token: string };
    await eventually(
      async () =>
        await client.POST('/api/v1/files/upload/status', { body: { upload_token } }).catch((error: unknown) => error),
      (error) => error instanceof Error && 'code' in error && error.code === 'upload_aborted',
      { until: 'it is over' },
    );
  });

  it('is rejected for an unknown project', async () => {
    const nowhere = { source: 'workspace' as const, project_id: '01900000-0000-7000-8000-000000000000', path: 'a' };
    await expect(withParts().client.upload(new Blob(['x']), nowhere)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('a download', () => {
  it('contains the bytes of the file and resumes where the connection broke', async () => {
    const bytes = randomBytes(3 * MiB);
    await withParts().client.upload(new Blob([bytes], { type: 'image/png' }), target('picture.png'));
    const ranges: (string | null)[] = [];
    const client = typedClient(service.url, session, {
      retry: { minDelayMs: 5, maxDelayMs: 50 },
      fetch: async (request) => {
        const response = await checkedFetch(request);
        if (request.method !== 'GET') return response;
        ranges.push(request.headers.get('range'));
        if (ranges.length > 1) return response;
        const some = (await response.arrayBuffer()).slice(0, MiB);
        const pieces = [new Uint8Array(some)].values();
        const body = new ReadableStream({
          pull(controller) {
            const { done, value } = pieces.next();
            if (done === true) controller.error(new TypeError('The connection was lost'));
            else controller.enqueue(value);
          },
        });
        return new Response(body, { headers: response.headers });
      },
    });
    const loaded: number[] = [];
    const totals = new Set<number | undefined>();
    const blob = await client.download(target('picture.png'), {
      onProgress: (progress) => {
        loaded.push(progress.loaded);
        totals.add(progress.total);
      },
    });
    expect(blob.type).toBe('image/png');
    expect(Buffer.from(await blob.arrayBuffer()).equals(bytes)).toBe(true);
    expect(ranges).toEqual([null, `bytes=${MiB}-`]);
    expect(loaded[0]).toBe(MiB);
    expect([loaded.at(-1), ...totals]).toEqual([bytes.length, bytes.length]);
  });

  it('is rejected if the file is missing or the signal is aborted', async () => {
    const client = typedClient(service.url, session);
    await expect(client.download(target('nothing.png'))).rejects.toThrow(NotFoundError);
    const leaving = AbortSignal.abort('left');
    await expect(client.download(target('nothing.png'), { signal: leaving })).rejects.toBe('left');
  });
});
