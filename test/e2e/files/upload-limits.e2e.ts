import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { FileDownloadResponse } from '../../../src/files/files.dto.js';
import type { UploadPartsResponse } from '../../../src/files/uploads/uploads.dto.js';
import { makeFile, makeProject, type Place, sendParts } from '../../factories/make.js';
import { Client } from '../../support/client.js';
import { raw } from '../../support/raw.js';
import { useService } from '../../support/service.js';
import { hold, put, start, type Upload } from '../../support/upload-parts.js';

const MiB = 1024 ** 2;
const ALLOWED = 40 * MiB;
const service = useService({ settings: { FILES_COMPANY_MAX_BYTES: String(ALLOWED) } });

interface Workspace {
  client: Client;
  company: string;
  place: Place & { project_id: string };
}

async function makeWorkspace(): Promise<Workspace> {
  const { client, company } = await service.session({ role: 'member' });
  const { id } = await makeProject(client);
  return { client, company, place: { source: 'workspace', project_id: id } };
}

const urlsOf = ({ parts }: Upload): string[] => parts.map(({ url }) => url);

describe('the size of an upload', () => {
  it.each([false, true])('is limited to the declared size, chunked: %s', async (chunked) => {
    const { client, place } = await makeWorkspace();
    const upload = await start(client, place, 'a', 6 * MiB);
    const { parts } = await client.post<UploadPartsResponse>('/files/upload/parts', {
      upload_token: upload.upload_token,
      part_numbers: [1, 2, 3, 4],
    });
    const [first, second, third, fourth] = parts.map(({ url }) => url);
    expect(await put(first, 6 * MiB, chunked)).toBe(413);
    expect(await put(first, 5 * MiB, chunked)).toBe(200);
    expect(await put(second, 5 * MiB, chunked)).toBe(413);
    expect(await put(second, MiB, chunked)).toBe(200);
    expect(await put(third, 1, chunked)).toBe(413);
    expect(await put(fourth, 0, chunked)).toBe(200);
    // Sending a part again replaces its earlier content.
    expect(await put(first, 5 * MiB, chunked)).toBe(200);
    expect(await put(first, 4 * MiB, chunked)).toBe(200);
    expect(await put(third, MiB, chunked)).toBe(200);
  });

  it.each([false, true])(
    'counts towards the company’s storage limit if it is not declared, chunked: %s',
    async (chunked) => {
      const { client, place } = await makeWorkspace();
      const upload = await start(client, place, 'a');
      const urls = urlsOf(upload);
      expect([413, 'closed']).toContain(await put(urls[0], 64 * MiB, chunked));
      for (const url of urls.slice(0, 4)) expect(await put(url, 9 * MiB, chunked)).toBe(200);
      expect(await put(urls[4], 9 * MiB, chunked)).toBe(413);
      const other = await start(client, place, 'b');
      expect(await put(other.parts[0]?.url, 9 * MiB, chunked)).toBe(413);
      const body = { ...place, path: 'c', size: 9 * MiB };
      expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
      await client.post('/files/upload/abort', { upload_token: upload.upload_token });
      expect(await put(other.parts[0]?.url, 9 * MiB, chunked)).toBe(200);
    },
    60_000,
  );

  it('counts towards the limit from the start of the upload until it is completed or aborted', async () => {
    const { client, place } = await makeWorkspace();
    const upload = await start(client, place, 'a', 30 * MiB);
    const body = { ...place, path: 'b', size: 11 * MiB };
    expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
    await client.post('/files/upload/abort', { upload_token: upload.upload_token });
    const content = randomBytes(30 * MiB);
    const sent = await sendParts(client, place, 'a', content);
    expect(await client.post('/files/upload/complete', { ...place, ...sent })).toMatchObject({ size: 30 * MiB });
    expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
    await start(client, place, 'c', 10 * MiB);
  }, 60_000);

  it('does not include the bytes of a part whose sender disconnected', async () => {
    const { client, place } = await makeWorkspace();
    const { parts } = await start(client, place, 'a', 5 * MiB);
    const broken = new Readable({ read() {} });
    const sending = raw(parts[0]?.url ?? '', { method: 'PUT', body: broken });
    broken.push(Buffer.alloc(MiB));
    broken.destroy(new Error('Broken off'));
    await expect(sending).rejects.toThrow();
    expect(await put(parts[0]?.url, 5 * MiB)).toBe(200);
  });
});

describe('a part that is sent several times concurrently', () => {
  it('counts towards the limit with its stored size, not the size of an aborted attempt', async () => {
    const { client, place } = await makeWorkspace();
    const [first, ...urls] = urlsOf(await start(client, place, 'a'));
    const held = await hold(first, 9 * MiB);
    expect(await put(first, 9 * MiB)).toBe(200);
    held.close();
    for (const url of urls.slice(0, 3)) expect(await put(url, 9 * MiB)).toBe(200);
    expect(await put(urls[3], 9 * MiB)).toBe(413);
    expect(await put(first, 9 * MiB)).toBe(200);
  });

  it('keeps the content of the last attempt and returns 409 for all other attempts', async () => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await start(client, place, 'a');
    const older = [await hold(parts[0]?.url, 9 * MiB), await hold(parts[0]?.url, 1), await hold(parts[0]?.url, MiB)];
    const last = await hold(parts[0]?.url, 5 * MiB);
    for (const held of older) held.release();
    for (const held of older) {
      expect(await held.answer()).toMatchObject({
        status: 409,
        text: JSON.stringify({
          detail: 'The part is being sent again, or its upload has ended',
          code: 'part_sent_again',
        }),
      });
    }
    last.release();
    expect(await last.answer()).toMatchObject({ status: 200 });
    for (const { url } of parts.slice(1, 4)) expect(await put(url, 9 * MiB)).toBe(200);
    expect(await put(parts[4]?.url, 9 * MiB)).toBe(413);
    expect(await put(parts[4]?.url, 8 * MiB)).toBe(200);
    expect(await client.post('/files/upload/complete', { ...place, upload_token })).toMatchObject({ size: 40 * MiB });
  });
});

describe('many concurrent parts', () => {
  it('are limited per upload, so that additional parts are rejected with 429 while the first parts stall', async () => {
    const { client, place } = await makeWorkspace();
    const { parts } = await start(client, place, 'a');
    const other = await start(client, place, 'b');
    const held = await Promise.all(Array.from({ length: 16 }, () => hold(parts[0]?.url, 2)));
    const further = raw(parts[1]?.url ?? '', { method: 'PUT', body: Buffer.alloc(1) });
    expect(await put(other.parts[0]?.url, 1)).toBe(200);
    expect(await further).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    for (const one of held) one.close();
    expect(await put(parts[1]?.url, 1)).toBe(200);
  }, 60_000);
});

it('rejects a part that exceeds the company’s storage limit, even if the request is chunked', async () => {
  const { client, place } = await makeWorkspace();
  const { parts } = await start(client, place, 'a');
  for (const { url } of parts.slice(0, 4)) expect(await put(url, ALLOWED / 4)).toBe(200);
  const { status, text } = await raw(parts[4]?.url ?? '', { method: 'PUT', body: Readable.from([Buffer.alloc(1)]) });
  expect([status, text]).toEqual([
    413,
    `{"detail":"The company's files must not exceed ${ALLOWED} bytes in total","code":"company_storage_full"}`,
  ]);
});

describe('open uploads', () => {
  it('are limited to 20 per member without affecting other members', async () => {
    const { client, company, place } = await makeWorkspace();
    for (let number = 0; number < 20; number += 1) await start(client, place, `${number}`);
    const refused = await client.send('POST', '/files/upload/start', { body: { ...place, path: 'more' } });
    expect(refused).toMatchObject({
      status: 413,
      body: { detail: 'You have 20 open uploads; complete or abort one first' },
    });
    const { client: another } = await service.session({ company, role: 'member' });
    await start(another, place, 'of-another');
    const { key } = await client.post<{ key: string }>('/api-keys', { name: 'Key' });
    const ofKey = await new Client(service.url, key).send('POST', '/files/upload/start', {
      body: { ...place, path: 'of-a-key' },
    });
    expect(ofKey).toMatchObject({ status: 413 });
  }, 60_000);

  it('are limited to 20 per member across all API keys', async () => {
    const { client, place } = await makeWorkspace();
    for (let number = 0; number < 5; number += 1) {
      const { key } = await client.post<{ key: string }>('/api-keys', { name: `Key ${number}` });
      for (let file = 0; file < 4; file += 1) await start(new Client(service.url, key), place, `${number}-${file}`);
    }
    const refused = await client.send('POST', '/files/upload/start', { body: { ...place, path: 'more' } });
    expect(refused).toMatchObject({ status: 413 });
  }, 60_000);
});

describe('a part URL', () => {
  it.each<[string, number, (made: Workspace & Upload) => Promise<unknown>]>([
    ['its upload is aborted', 404, ({ client, upload_token }) => client.post('/files/upload/abort', { upload_token })],
    [
      'its upload is completed',
      404,
      ({ client, place, upload_token }) => client.post('/files/upload/complete', { ...place, upload_token }),
    ],
    ['its project is deleted', 404, ({ client, place }) => client.delete(`/projects/${place.project_id}`)],
  ])('becomes invalid when %s', async (_, status, end) => {
    const workspace = await makeWorkspace();
    const upload = await start(workspace.client, workspace.place, 'a', 3);
    expect(await put(upload.parts[0]?.url, 3)).toBe(200);
    await end({ ...workspace, ...upload });
    expect(await put(upload.parts[0]?.url, 3)).toBe(status);
  });

  it('becomes invalid when the key that opened the upload is revoked', async () => {
    const { client, place } = await makeWorkspace();
    const { id, key } = await client.post<{ id: string; key: string }>('/api-keys', { name: 'Key' });
    const upload = await start(new Client(service.url, key), place, 'a', 3);
    expect(await put(upload.parts[0]?.url, 3)).toBe(200);
    await client.delete(`/api-keys/${id}`);
    expect(await put(upload.parts[0]?.url, 3)).toBe(404);
    expect(await put(upload.parts[0]?.url, 3, true)).toBe(404);
  });
});

describe('a download URL', () => {
  const urlOf = async (client: Client, place: Place): Promise<string> =>
    (await client.post<FileDownloadResponse>('/files/download', { ...place, path: 'a.txt' })).url;

  it('becomes invalid when its project is deleted', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a.txt', 'text');
    const url = await urlOf(client, place);
    expect(await raw(url)).toMatchObject({ status: 200, text: 'text' });
    await client.delete(`/projects/${place.project_id}`);
    expect(await raw(url)).toMatchObject({ status: 404 });
    expect(await raw(url, { headers: { range: 'bytes=0-1' } })).toMatchObject({ status: 404 });
  });

  it('becomes invalid when the key that requested it is revoked, but not when the file is moved', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a.txt', 'text');
    const { id, key } = await client.post<{ id: string; key: string }>('/api-keys', { name: 'Key' });
    const url = await urlOf(new Client(service.url, key), place);
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: 'a.txt', dest_path: 'b.txt' }] });
    expect(await raw(url)).toMatchObject({ status: 200 });
    await client.delete(`/api-keys/${id}`);
    expect(await raw(url)).toMatchObject({ status: 404 });
  });
});
