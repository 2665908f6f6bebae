import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type {
  FileContentResponse,
  FileDownloadResponse,
  FileEntry,
  FileListResponse,
} from '../../../src/files/files.dto.js';
import type {
  UploadPartsResponse,
  UploadStartResponse,
  UploadStatusResponse,
} from '../../../src/files/uploads/uploads.dto.js';
import { makeDeployment, makeFile, makeProject, type Place, sendParts } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { raw } from '../../support/raw.js';
import { removeEnvironment, Service, useService } from '../../support/service.js';

const MiB = 1024 ** 2;
const MAX_BYTES = 16 * MiB;
const service = useService({ settings: { FILES_MAX_BYTES: String(MAX_BYTES) } });

interface Workspace {
  client: Client;
  company: string;
  place: Place & { project_id: string };
}

async function makeWorkspace(): Promise<Workspace> {
  const { client, company } = await service.session();
  const { id } = await makeProject(client);
  return { client, company, place: { source: 'workspace', project_id: id } };
}

async function inDatabase(statement: string, parameters: unknown[] = []): Promise<void> {
  const connection = new pg.Client({ connectionString: service.environment.databaseUrl });
  await connection.connect();
  try {
    await connection.query(statement, parameters);
  } finally {
    await connection.end();
  }
}

const start = async (client: Client, place: Place, path: string, size?: number): Promise<Wire<UploadStartResponse>> =>
  await client.post<UploadStartResponse>('/files/upload/start', { ...place, path, size });

const complete = async (client: Client, place: object, upload: object): ReturnType<Client['send']> =>
  await client.send('POST', '/files/upload/complete', { body: { ...place, ...upload } });

/** Returns the content of a file of any size. */
async function download(client: Client, place: Place, path: string): Promise<Buffer> {
  const { url } = await client.post<FileDownloadResponse>('/files/download', { ...place, path });
  return (await raw(url)).bytes;
}

describe('an upload', () => {
  it('combines several parts into a single file', async () => {
    const { client, place } = await makeWorkspace();
    const content = randomBytes(12_000_000);
    const sent = await sendParts(client, place, 'data/big.bin', content, 'application/x-own');
    expect(sent.parts.map(({ part_number }) => part_number)).toEqual([1, 2, 3]);
    const answer = await complete(client, place, sent);
    expect(answer).toMatchObject({
      status: 200,
      body: { path: 'data/big.bin', size: 12_000_000, content_type: 'application/x-own', source: 'upload' },
    });
    const { entries } = await client.post<FileListResponse>('/files/list', { ...place, path: 'data' });
    expect(entries).toEqual([answer.body]);
    expect((await download(client, place, 'data/big.bin')).equals(content)).toBe(true);
  });

  it('returns how to split the file into parts and when the upload expires', async () => {
    const { client, place } = await makeWorkspace();
    const known = await start(client, place, 'a', 12_000_000);
    expect(known).toMatchObject({
      part_size: 5 * MiB,
      parts: [{ part_number: 1 }, { part_number: 2 }, { part_number: 3 }],
    });
    const unknown = await start(client, place, 'a');
    expect(unknown.parts).toHaveLength(10);
    const lifetime = Date.parse(known.expires_at) - Date.now();
    expect(lifetime / 3_600_000).toBeCloseTo(24, 1);
  });

  it('replaces the content of a file without changing its id', async () => {
    const { client, place } = await makeWorkspace();
    const old = await makeFile(client, place, 'a.txt', 'old');
    const sent = await sendParts(client, place, 'a.txt', Buffer.from('newer'), 'text/x-own');
    const { body } = await complete(client, place, sent);
    expect(body).toMatchObject({ id: old.id, size: 5, content_type: 'text/x-own' });
    expect(await client.post<FileContentResponse>('/files/content', { ...place, path: 'a.txt' })).toMatchObject({
      text: 'newer',
    });
  });

  it.each([
    ['an empty part', 0, true],
    ['no parts', 0, false],
    ['no parts and no size', undefined, false],
  ])('creates an empty file from %s', async (_, size, send) => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await start(client, place, 'empty.txt', size);
    if (send) expect(await raw(parts[0]?.url ?? '', { method: 'PUT', body: '' })).toMatchObject({ status: 200 });
    expect(await complete(client, place, { upload_token })).toMatchObject({ status: 200, body: { size: 0 } });
    expect(await client.post('/files/content', { ...place, path: 'empty.txt' })).toMatchObject({
      text: '',
      base64: null,
    });
  });

  it('combines all parts in order if the request does not list any parts', async () => {
    const { client, place } = await makeWorkspace();
    const content = randomBytes(6 * MiB);
    const { upload_token, parts } = await start(client, place, 'a');
    await raw(parts[1]?.url ?? '', { method: 'PUT', body: content.subarray(5 * MiB) });
    await raw(parts[0]?.url ?? '', { method: 'PUT', body: content.subarray(0, 5 * MiB) });
    expect(await complete(client, place, { upload_token, parts: [] })).toMatchObject({ status: 200 });
    expect((await download(client, place, 'a')).equals(content)).toBe(true);
  });

  it('returns the same file if it is completed again, even concurrently or after a move', async () => {
    const { client, place } = await makeWorkspace();
    const sent = await sendParts(client, place, 'a.txt', Buffer.from('a'));
    const answers = await Promise.all(Array.from({ length: 6 }, async () => await complete(client, place, sent)));
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: 'a.txt', dest_path: 'b.txt' }] });
    answers.push(await complete(client, place, sent));
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: answers[0]?.body });
    const { entries } = await client.post<FileListResponse>('/files/list', place);
    expect(entries.map(({ path }) => path)).toEqual(['b.txt']);
  });

  it('can be resumed by checking its status, requesting additional URLs and resending parts', async () => {
    const { client, place } = await makeWorkspace();
    const content = randomBytes(5 * MiB + 3);
    const { upload_token, parts, part_size, expires_at } = await start(client, place, 'a');
    await raw(parts[0]?.url ?? '', { method: 'PUT', body: randomBytes(part_size) });
    const { headers } = await raw(parts[0]?.url ?? '', { method: 'PUT', body: content.subarray(0, part_size) });
    expect(await client.post<UploadStatusResponse>('/files/upload/status', { upload_token })).toEqual({
      parts: [{ part_number: 1, etag: headers.etag?.slice(1, -1), size: part_size }],
      part_size,
      size: null,
      expires_at,
    });
    const more = await client.post<UploadPartsResponse>('/files/upload/parts', { upload_token, part_numbers: [500] });
    expect(more).toMatchObject({ parts: [{ part_number: 500 }], expires_at });
    await raw(more.parts[0]?.url ?? '', { method: 'PUT', body: content.subarray(part_size) });
    expect(await complete(client, place, { upload_token })).toMatchObject({
      status: 200,
      body: { size: content.length },
    });
    expect((await download(client, place, 'a')).equals(content)).toBe(true);
    for (const operation of ['status', 'abort']) {
      expect(await client.send('POST', `/files/upload/${operation}`, { body: { upload_token } })).toMatchObject({
        status: 409,
      });
    }
  });
});

describe('an invalid upload', () => {
  it.each([
    ['a wrong etag', (parts: Parts) => [{ ...parts[0], etag: 'x' }, parts[1]], 'The etag of part 1'],
    [
      'a part that was not sent',
      (parts: Parts) => [...parts, { part_number: 3, etag: 'x' }],
      'Part 3 was not received',
    ],
    [
      'an invalid part number',
      (parts: Parts) => [...parts, { part_number: -7, etag: 'x' }],
      'Part -7 was not received',
    ],
    ['a missing part', (parts: Parts) => [parts[0]], 'were declared'],
    ['a duplicate part', (parts: Parts) => [...parts, parts[0]], 'listed twice'],
  ])('is rejected and can still be completed: %s', async (_, wrong, sentence) => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await sendParts(client, place, 'a', randomBytes(5 * MiB + 1));
    const refused = await complete(client, place, { upload_token, parts: wrong(parts) });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(sentence) as unknown } });
    expect(await client.post<FileListResponse>('/files/list', place)).toMatchObject({ total: 0 });
    expect(await complete(client, place, { upload_token, parts })).toMatchObject({ status: 200 });
  });

  it('is rejected if a part is too small', async () => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await start(client, place, 'a');
    for (const { url } of parts.slice(0, 2)) await raw(url, { method: 'PUT', body: 'small' });
    const refused = await complete(client, place, { upload_token });
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('Part 1 is too small') as unknown },
    });
    expect((await client.send('POST', '/files/upload/abort', { body: { upload_token } })).status).toBe(204);
  });

  it('is rejected if it causes a conflict, and can be completed once the conflict is resolved', async () => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await sendParts(client, place, 'dir', Buffer.from('a'));
    await client.post('/files/mkdir', { ...place, path: 'dir' });
    expect(await complete(client, place, { upload_token, parts })).toMatchObject({
      status: 409,
      body: { detail: 'A directory already exists at dir' },
    });
    expect(await complete(client, place, { upload_token, parts, conversation_id: 'none' })).toMatchObject({
      status: 404,
      body: { detail: 'Conversation not found' },
    });
    await client.post('/files/delete', { ...place, path: 'dir' });
    expect(await complete(client, place, { upload_token, parts })).toMatchObject({ status: 200 });
    expect(await client.post('/files/content', { ...place, path: 'dir' })).toMatchObject({ text: 'a' });
  });

  it('is rejected at the start, or when a part arrives, if it is too large', async () => {
    const { client, place } = await makeWorkspace();
    const body = { ...place, path: 'a', size: MAX_BYTES + 1 };
    expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
    const { parts } = await start(client, place, 'a', 3);
    const url = parts[0]?.url ?? '';
    expect(await raw(url, { method: 'PUT', body: 'four' })).toMatchObject({ status: 413 });
    expect(
      await raw(url, { method: 'PUT', body: Readable.from([Buffer.from('fo'), Buffer.from('ur')]) }),
    ).toMatchObject({ status: 413 });
    expect(await raw(url, { method: 'PUT', body: 'two' })).toMatchObject({ status: 200 });
  });

  it('is rejected at the start if the company already has 100 open uploads', async () => {
    const { client, place, company } = await makeWorkspace();
    const tokens = [];
    for (let number = 0; number < 100; number += 1) tokens.push((await start(client, place, `${number}`)).upload_token);
    const body = { ...place, path: 'one-more' };
    expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
    expect((await client.send('POST', '/files/upload/abort', { body: { upload_token: tokens[0] } })).status).toBe(204);
    await start(client, place, 'one-more');
    expect(await client.send('POST', '/files/upload/start', { body })).toMatchObject({ status: 413 });
    await inDatabase(`UPDATE uploads SET expires_at = now() - interval '1 second' WHERE company_id = $1`, [company]);
    await start(client, place, 'one-more');
  }, 60_000);
});

type Parts = { part_number: number; etag: string }[];

describe('an upload token', () => {
  it('is checked before the container identifiers', async () => {
    const { client, place } = await makeWorkspace();
    const unknown = { upload_token: 'unknown', parts: [] };
    expect(await complete(client, { source: 'workspace' }, unknown)).toMatchObject({
      status: 404,
      body: { detail: 'Upload not found' },
    });
    expect(await complete(client, { source: 'workspace', project_id: 'none' }, unknown)).toMatchObject({
      body: { detail: 'Upload not found' },
    });
    const { upload_token } = await start(client, place, 'a');
    const body = { source: 'workspace', upload_token };
    expect(await complete(client, {}, body)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body', 'project_id'], msg: 'Field required', input: body }] },
    });
    expect(await complete(client, { source: 'workspace', project_id: 'none' }, { upload_token })).toMatchObject({
      body: { detail: 'Project not found' },
    });
  });

  it('is bound to its company, container and path', async () => {
    const { client, company, place } = await makeWorkspace();
    const sent = await sendParts(client, place, 'a', Buffer.from('a'));
    const stranger = await makeWorkspace();
    expect(await complete(stranger.client, stranger.place, sent)).toMatchObject({
      status: 404,
      body: { detail: 'Upload not found' },
    });
    const { id } = await makeProject(client);
    expect(await complete(client, { ...place, project_id: id }, sent)).toMatchObject({ status: 409 });
    const { handle } = await makeDeployment(client);
    const deployment = { source: 'deployment', deployment_name: handle } as const;
    expect(await complete(client, deployment, sent)).toMatchObject({ status: 409 });
    const template = await sendParts(client, deployment, 'a', Buffer.from('a'));
    const member = await service.session({ company, role: 'member' });
    expect(await complete(member.client, deployment, template)).toMatchObject({ status: 403 });
    expect(
      await member.client.send('POST', '/files/upload/abort', { body: { upload_token: template.upload_token } }),
    ).toMatchObject({ status: 403 });
    expect(await complete(client, deployment, template)).toMatchObject({
      status: 200,
      body: { id: null, source: null },
    });
    expect(await complete(member.client, place, sent)).toMatchObject({ status: 200 });
  });

  it('is invalidated when the upload ends', async () => {
    const { client, place } = await makeWorkspace();
    const { upload_token, parts } = await start(client, place, 'a', 1);
    for (let times = 0; times < 2; times += 1) {
      expect((await client.send('POST', '/files/upload/abort', { body: { upload_token } })).status).toBe(204);
    }
    expect(await complete(client, place, { upload_token })).toMatchObject({
      status: 409,
      body: { detail: 'The upload was aborted; start a new one' },
    });
    expect(await raw(parts[0]?.url ?? '', { method: 'PUT', body: 'a' })).toMatchObject({ status: 404 });
  });

  it('expires', async () => {
    const { client, company, place } = await makeWorkspace();
    const done = await sendParts(client, place, 'done', Buffer.from('a'));
    const { body } = await complete(client, place, done);
    const sent = await sendParts(client, place, 'a', Buffer.from('a'));
    await inDatabase(`UPDATE uploads SET expires_at = now() - interval '1 second' WHERE company_id = $1`, [company]);
    expect(await complete(client, place, sent)).toMatchObject({ status: 410 });
    expect(
      await client.send('POST', '/files/upload/status', { body: { upload_token: sent.upload_token } }),
    ).toMatchObject({ status: 410 });
    expect(await complete(client, place, done)).toMatchObject({ status: 200, body: body as FileEntry });
  });
});

describe('a part URL', () => {
  it('accepts any bytes with any content type', async () => {
    const { client, place } = await makeWorkspace();
    const content = Buffer.from('{"not": "read as JSON"');
    const { upload_token, parts } = await start(client, place, 'a.json', content.length);
    const answer = await raw(parts[0]?.url ?? '', {
      method: 'PUT',
      body: content,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({
      status: 200,
      text: '',
      headers: { etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) as unknown },
    });
    await complete(client, place, { upload_token });
    expect(await download(client, place, 'a.json')).toEqual(content);
  });

  it('is valid only if it is unchanged', async () => {
    const { client, place } = await makeWorkspace();
    const { parts } = await start(client, place, 'a', 12_000_000);
    const url = parts[0]?.url ?? '';
    for (const wrong of [
      url.replace('part=1', 'part=2'),
      url.replace(/limit=\d+/, 'limit=99999999'),
      url.replace(/expires=\d+/, 'expires=9999999999'),
      url.replace(/blobs\/./, 'blobs/f'),
      url.replace(/&signature=.*/, ''),
    ]) {
      expect(wrong).not.toBe(url);
      expect(await raw(wrong, { method: 'PUT', body: 'a' })).toMatchObject({ status: 403 });
    }
    expect(await raw(url)).toMatchObject({ status: 403 });
    expect(await raw(url, { method: 'POST', body: 'a' })).toMatchObject({ status: 405 });
  });
});

describe('a tree during concurrent completions, moves and deletions of a path', () => {
  it('stays consistent, and all files in it are complete', async () => {
    const { client, place } = await makeWorkspace();
    const contents = Array.from({ length: 20 }, (_, index) => `content ${index}`);
    const uploads = await Promise.all(
      contents.map(async (text) => await sendParts(client, place, 'a/b.txt', Buffer.from(text))),
    );
    const move = async (source_path: string, dest_path: string): Promise<unknown> =>
      await client.send('POST', '/files/batch-move', { body: { ...place, moves: [{ source_path, dest_path }] } });
    const work = [
      ...uploads.map((sent) => async () => expect(await complete(client, place, sent)).toMatchObject({ status: 200 })),
      ...Array.from({ length: 15 }, (_, index) => async () => await move('a/b.txt', `c/${index}.txt`)),
      ...Array.from({ length: 8 }, () => async () => await move('a', 'd')),
      ...Array.from({ length: 7 }, () => async () => {
        const { status } = await client.send('POST', '/files/delete', { body: { ...place, path: 'a/b.txt' } });
        expect([200, 404]).toContain(status);
      }),
    ];
    await Promise.all(work.sort(() => Math.random() - 0.5).map(async (one) => await one()));

    const { entries, directories, total } = await client.post<FileListResponse>('/files/list', {
      ...place,
      recursive: true,
      limit: 1000,
    });
    expect(total).toBe(entries.length + directories.length);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    for (const { path } of entries) {
      const { text } = await client.post<FileContentResponse>('/files/content', { ...place, path });
      expect(contents).toContain(text);
    }
    // Implied directories exist only as long as they contain something.
    for (const directory of directories)
      expect(entries.some(({ path }) => path.startsWith(`${directory}/`))).toBe(true);
    const [first] = uploads;
    expect(await complete(client, place, first ?? {})).toMatchObject({ status: 200, body: { path: 'a/b.txt' } });
  });
});

describe('an upload to the disk store whose process is killed during its completion', () => {
  it('is completed with its full content by the next process', async () => {
    const own = await Service.start();
    const { client, user, company } = await own.session();
    const { id } = await makeProject(client);
    const place = { source: 'workspace', project_id: id } as const;
    const content = randomBytes(6 * MiB);
    const sent = await sendParts(client, place, 'a.bin', content);
    const connection = new pg.Client({ connectionString: own.environment.databaseUrl });
    await connection.connect();
    // The trigger blocks only the second insert, after the dry run, so that the object already exists when the process
    // dies.
    await connection.query(`
      CREATE SEQUENCE placed;
      CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF nextval('placed') > 1 THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END $$;
      CREATE TRIGGER stand_still BEFORE INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION stand_still()`);
    const broken = expect(complete(client, place, sent)).rejects.toThrow();
    await eventually(
      async () => (await connection.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).rowCount,
      (count) => count === 1,
      { until: 'the completion stands still' },
    );
    await own.kill();
    await broken;
    await connection.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep';
      DROP TRIGGER stand_still ON nodes; UPDATE uploads SET lease_until = now() - interval '1 second' WHERE state = 'completing'`);
    await connection.end();

    const next = await Service.start({ environment: own.environment });
    const { client: again } = await next.session({ user, company });
    expect(await again.post<FileListResponse>('/files/list', place)).toMatchObject({ total: 0 });
    expect(
      await again.send('POST', '/files/upload/status', { body: { upload_token: sent.upload_token } }),
    ).toMatchObject({ status: 409 });
    expect(await complete(again, place, sent)).toMatchObject({ status: 200, body: { size: content.length } });
    expect((await download(again, place, 'a.bin')).equals(content)).toBe(true);
    await next.stop();
    await removeEnvironment(next.environment);
  }, 60_000);
});
