import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import type { FileContentResponse, FileDownloadResponse, FileListResponse } from '../../../src/files/files.dto.js';
import type { SkillSummary } from '../../../src/skills/skills.dto.js';
import type { UploadStartResponse, UploadStatusResponse } from '../../../src/files/uploads/uploads.dto.js';
import { MinioStore } from '../../../src/storage/minio.store.js';
import { makeFile, makeProject, type Place, sendParts } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { docxParts, makeArchive, paragraph } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { raw } from '../../support/raw.js';
import { S3Server } from '../../support/s3-server.js';
import { removeEnvironment, Service } from '../../support/service.js';

const MiB = 1024 ** 2;
const GRACE_SECONDS = 1;

let s3: S3Server;
let service: Service;
let settings: Record<string, string>;

beforeAll(async () => {
  s3 = await S3Server.start();
  const { endpoint, publicEndpoint, accessKey, secretKey, bucket } = s3.settings('files-of-the-test');
  settings = {
    S3_ENDPOINT: endpoint,
    S3_PUBLIC_ENDPOINT: publicEndpoint,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    S3_BUCKET: bucket,
    FILES_GRACE_SECONDS: String(GRACE_SECONDS),
  };
  service = await Service.start({ settings });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await s3.stop();
  await removeEnvironment(service.environment);
}, 60_000);

interface Workspace {
  client: Client;
  place: Place & { project_id: string };
}

async function makeWorkspace(): Promise<Workspace> {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  return { client, place: { source: 'workspace', project_id: id } };
}

const complete = async (client: Client, place: object, upload: object): ReturnType<Client['send']> =>
  await client.send('POST', '/files/upload/complete', { body: { ...place, ...upload } });

async function download(client: Client, place: Place, path: string): Promise<Buffer> {
  const { url } = await client.post<FileDownloadResponse>('/files/download', { ...place, path });
  const { status, bytes } = await raw(url);
  if (status !== 200) throw new Error(`The download answered ${status} ${bytes.toString()}`);
  return bytes;
}

async function inDatabase<Row>(statement: string): Promise<Row[]> {
  const connection = new pg.Client({ connectionString: service.environment.databaseUrl });
  await connection.connect();
  try {
    return (await connection.query(statement)).rows as Row[];
  } finally {
    await connection.end();
  }
}

/** Returns the ids of blobs with objects in the store. */
async function storedIds(): Promise<string[]> {
  const store = new MinioStore(s3.settings('files-of-the-test'), pino({ level: 'silent' }));
  const ids: string[] = [];
  for await (const { key } of store.list('blobs')) ids.push(key.replace('blobs/', ''));
  return ids.sort();
}

async function referredIds(): Promise<string[]> {
  const rows = await inDatabase<{ id: string }>('SELECT DISTINCT blob_id AS id FROM nodes WHERE blob_id IS NOT NULL');
  return rows.map(({ id }) => id).sort();
}

const doPeriodicWork = async (task: string): Promise<unknown> =>
  await inDatabase(`SELECT pg_notify('periodic_work', '${task}')`);

describe('files on an S3 server', () => {
  it('are transferred directly, without passing through the service', async () => {
    const { client, place } = await makeWorkspace();
    const content = randomBytes(2 * 5 * MiB + 77);
    const from = s3.requests.length;
    const sent = await sendParts(client, place, 'data/Ünï 1.bin', content);
    const puts = s3.requests.slice(from).filter(({ method }) => method === 'PUT');
    expect(puts.map(({ host, query }) => [host, query['partNumber']])).toEqual(
      ['1', '2', '3'].map((number) => [new URL(settings['S3_PUBLIC_ENDPOINT'] ?? '').host, number]),
    );
    expect(await complete(client, place, sent)).toMatchObject({ status: 200, body: { size: content.length } });
    expect((await download(client, place, 'data/Ünï 1.bin')).equals(content)).toBe(true);
    expect(s3.requests.at(-1)).toMatchObject({ method: 'GET', host: puts[0]?.host });
    expect(JSON.stringify(service.log)).not.toContain('/store/');
  });

  it('are read as tables and documents in the same way as local files', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'demand.csv', 'product;quantity\nchair;1,5\ntable;2\n');
    await makeFile(client, place, 'note.docx', makeArchive(docxParts(paragraph('Hello'))));
    expect(await client.post('/files/table', { ...place, path: 'demand.csv' })).toMatchObject({
      rows: [
        ['chair', 1.5],
        ['table', 2],
      ],
    });
    const query = { ...place, tables: { d: 'demand.csv' }, sql: 'SELECT sum(quantity) AS pieces FROM d' };
    expect(await client.post('/files/query', { ...query, save_as: 'sum.csv' })).toMatchObject({ rows: [[3.5]] });
    expect((await download(client, place, 'sum.csv')).toString()).toBe('pieces\n3.5\n');
    const note = { ...place, path: 'note.docx' };
    expect(await client.post('/files/content?as=text', note)).toMatchObject({ text: 'Hello\n' });
  });

  it('are read and written by the service if they are small or part of a skill', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a.txt', 'small');
    expect(await client.post<FileContentResponse>('/files/content', { ...place, path: 'a.txt' })).toMatchObject({
      text: 'small',
    });
    const skill = `/projects/${place.project_id}/skills/mine`;
    await client.put<SkillSummary>(skill, { files: { 'SKILL.md': 'Mine', 'more/a.md': '' } });
    expect(await client.get(skill)).toMatchObject({ files: { 'SKILL.md': 'Mine', 'more/a.md': '' } });
  });

  it.each([
    ['a wrong etag', (parts: Parts) => [{ ...parts[0], etag: 'x' }, parts[1]], 'The etag of part 1'],
    ['a missing part', (parts: Parts) => [...parts, { part_number: 3, etag: 'x' }], 'Part 3 was not received'],
    ['a different size', (parts: Parts) => [parts[0]], 'were declared'],
  ])('are rejected for %s, after which the upload can still be completed', async (_, wrong, sentence) => {
    const { client, place } = await makeWorkspace();
    const sent = await sendParts(client, place, 'a', randomBytes(5 * MiB + 1));
    const refused = await complete(client, place, { ...sent, parts: wrong(sent.parts) });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(sentence) as unknown } });
    expect(await complete(client, place, sent)).toMatchObject({ status: 200 });
    expect(await complete(client, place, sent)).toMatchObject({ status: 200 });
  });

  it('are rejected if a part is too small, but parts can be resent, and uploads can be resumed and aborted', async () => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await client.post<UploadStartResponse>('/files/upload/start', {
      ...place,
      path: 'a',
    });
    const [one = '', two = ''] = parts.map(({ url }) => url);
    for (const url of [one, two]) await raw(url, { method: 'PUT', body: 'small' });
    expect(await complete(client, place, { upload_token })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('Part 1 is too small') as unknown },
    });
    await raw(one, { method: 'PUT', body: Buffer.alloc(5 * MiB) });
    expect(await client.post<UploadStatusResponse>('/files/upload/status', { upload_token })).toMatchObject({
      parts: [{ part_number: 1, size: 5 * MiB }, { part_number: 2 }],
    });
    expect(await complete(client, place, { upload_token })).toMatchObject({ status: 200, body: { size: 5 * MiB + 5 } });

    const other = await client.post<UploadStartResponse>('/files/upload/start', { ...place, path: 'b' });
    const body = { upload_token: other.upload_token };
    expect((await client.send('POST', '/files/upload/abort', { body })).status).toBe(204);
    expect((await raw(other.parts[0]?.url ?? '', { method: 'PUT', body: 'late' })).status).toBe(404);
    expect(await complete(client, place, body)).toMatchObject({ status: 409 });
  });

  it('contain the newest content of a part that was resent after a failed completion', async () => {
    const { client, place } = await makeWorkspace();
    const sent = await sendParts(client, place, 'dir', Buffer.from('first'));
    await client.post('/files/mkdir', { ...place, path: 'dir' });
    expect(await complete(client, place, sent)).toMatchObject({ status: 409 });
    const { upload_token } = sent;
    const { parts } = await client.post<UploadStartResponse>('/files/upload/parts', {
      upload_token,
      part_numbers: [1],
    });
    await raw(parts[0]?.url ?? '', { method: 'PUT', body: 'other' });
    await client.post('/files/delete', { ...place, path: 'dir' });
    expect(await complete(client, place, { upload_token })).toMatchObject({ status: 200 });
    expect(await client.post('/files/content', { ...place, path: 'dir' })).toMatchObject({ text: 'other' });
  });
});

type Parts = { part_number: number; etag: string }[];

describe('a service that is killed with kill -9', () => {
  it('does not lose files or leave partial files, and removes exactly the unreferenced blobs after a restart', async () => {
    const { client, user, company } = await service.session();
    const { id } = await makeProject(client);
    const place = { source: 'workspace', project_id: id } as const;
    const whole = randomBytes(6 * MiB);
    await makeFile(client, place, 'kept.bin', whole);
    await makeFile(client, place, 'old.txt', 'first');
    await makeFile(client, place, 'old.txt', 'second');
    const sent = await sendParts(client, place, 'new.bin', whole);
    const skill = `/projects/${id}/skills/mine`;

    // The process dies each time before it receives the store's response. The store has already performed the operation
    // or is about to.
    const start = async (): Promise<Client> => {
      service = await Service.start({ environment: service.environment, settings });
      return (await service.session({ user, company })).client;
    };
    const written = s3.stall({
      when: 'after',
      matches: ({ method, path }) => method === 'PUT' && path.includes('/blobs/'),
    });
    const assembled = s3.stall({
      when: 'after',
      matches: ({ method, query }) => method === 'POST' && 'uploadId' in query,
    });
    const put = expect(client.put(skill, { files: { 'SKILL.md': 'Mine' } })).rejects.toThrow();
    const completion = expect(complete(client, place, sent)).rejects.toThrow();
    await Promise.all([written, assembled]);
    await service.kill();
    await Promise.all([put, completion]);

    let again = await start();
    expect((await again.send('GET', skill)).status).toBe(404);
    // Orphaned blobs are collected now. The process dies after it has deleted their rows but before it deletes their
    // objects.
    const before = await storedIds();
    const deleting = s3.stall({
      when: 'before',
      all: true,
      matches: ({ method, query }) => method === 'POST' && 'delete' in query,
    });
    await eventually(
      async () => {
        await doPeriodicWork('collect_files');
        return await inDatabase('SELECT FROM doomed_objects');
      },
      (doomed) => doomed.length > 0,
      { until: 'blobs are doomed', deadlineMs: 30_000 },
    );
    await deleting;
    await service.kill();
    s3.resume();
    expect(await storedIds()).toEqual(before);

    again = await start();
    const { entries } = await again.post<FileListResponse>('/files/list', place);
    expect(entries.map(({ path }) => path)).toEqual(['kept.bin', 'old.txt']);
    // Expires the lease held by the dead process.
    await inDatabase(`UPDATE uploads SET lease_until = now() - interval '1 second' WHERE state = 'completing'`);
    expect(await complete(again, place, sent)).toMatchObject({
      status: 200,
      body: { path: 'new.bin', size: whole.length },
    });
    expect((await download(again, place, 'new.bin')).equals(whole)).toBe(true);
    expect((await download(again, place, 'kept.bin')).equals(whole)).toBe(true);
    expect((await download(again, place, 'old.txt')).toString()).toBe('second');
    await eventually(
      async () => {
        await doPeriodicWork('collect_files');
        return { stored: await storedIds(), referred: await referredIds() };
      },
      ({ stored, referred }) => stored.join() === referred.join(),
      { until: 'the store has what files refer to and nothing else', deadlineMs: 30_000 },
    );
    expect((await download(again, place, 'new.bin')).equals(whole)).toBe(true);
  }, 120_000);
});

describe('an unavailable S3 server', () => {
  it('causes a 503 for requests that need file content, while other requests succeed', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a.txt', 'a');
    await s3.stop();
    const [content, upload] = await Promise.all([
      client.send('POST', '/files/content', { body: { ...place, path: 'a.txt' } }),
      client.send('POST', '/files/upload/start', { body: { ...place, path: 'b.txt' } }),
    ]);
    for (const answer of [content, upload])
      expect(answer).toMatchObject({
        status: 503,
        body: { detail: expect.stringContaining('unavailable') as unknown },
      });
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: 'a.txt', dest_path: 'c.txt' }] });
    const { entries } = await client.post<FileListResponse>('/files/list', place);
    expect(entries.map(({ path }) => path)).toEqual(['c.txt']);
    s3 = await S3Server.start();
  });
});
