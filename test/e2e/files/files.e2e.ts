import { describe, expect, it } from '@jest/globals';
import type { ChatMessageListResponse } from '../../../src/chat/chat.dto.js';
import type {
  BatchMoveResponse,
  FileContentResponse,
  FileDownloadResponse,
  FileEntry,
  FileListResponse,
} from '../../../src/files/files.dto.js';
import { makeDeployment, makeFile, makeProject, type Place } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { raw } from '../../support/raw.js';
import { useService } from '../../support/service.js';

const service = useService({ settings: { FILES_CONTENT_MAX_BYTES: '1000' } });

interface Workspace {
  client: Client;
  place: Place & { project_id: string };
}

async function makeWorkspace(): Promise<Workspace> {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  return { client, place: { source: 'workspace', project_id: id } };
}

/** Returns the paths of all entries in a container. Directories end with a slash. */
async function pathsIn(client: Client, place: object): Promise<string[]> {
  const { directories, entries } = await client.post<FileListResponse>('/files/list', {
    ...place,
    recursive: true,
    limit: 1000,
  });
  return [...directories.map((path) => `${path}/`), ...entries.map(({ path }) => path)];
}

describe('directories', () => {
  it('are created once, together with their parents', async () => {
    const { client, place } = await makeWorkspace();
    expect(await client.post('/files/mkdir', { ...place, path: '/a/b' })).toEqual({ created: true, path: 'a/b' });
    expect(await client.post('/files/mkdir', { ...place, path: 'a/b' })).toEqual({ created: false, path: 'a/b' });
    expect(await client.post('/files/mkdir', { ...place, path: 'a' })).toEqual({ created: false, path: 'a' });
    expect(await client.post('/files/mkdir', { ...place, path: '' })).toEqual({ created: false, path: '' });
    expect(await pathsIn(client, place)).toEqual(['a/', 'a/b/']);
  });

  it('are removed with their last file unless they were created explicitly', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'implied/a.txt', 'a');
    await makeFile(client, place, 'made/b.txt', 'b');
    expect(await client.post('/files/mkdir', { ...place, path: 'made' })).toEqual({ created: false, path: 'made' });
    expect(await client.post('/files/batch-delete', { ...place, paths: ['implied/a.txt', 'made/b.txt'] })).toEqual({
      deleted: 2,
    });
    expect(await pathsIn(client, place)).toEqual(['made/']);
  });

  it('are not created in place of a file', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a', 'a');
    expect(await client.send('POST', '/files/mkdir', { body: { ...place, path: 'a' } })).toMatchObject({ status: 409 });
    expect(await client.send('POST', '/files/mkdir', { body: { ...place, path: 'a/b/c' } })).toMatchObject({
      status: 409,
      body: { detail: 'A file already exists at a' },
    });
  });

  it('are listed before files on all pages, both sorted by the bytes of their names', async () => {
    const { client, place } = await makeWorkspace();
    for (const path of ['b', 'B', 'é', 'a-']) await makeFile(client, place, path, path);
    for (const path of ['z', 'a']) await client.post('/files/mkdir', { ...place, path });
    await makeFile(client, place, 'a/inside', '');
    const all = [];
    for (let offset = 0; offset < 8; offset += 2) {
      const page = await client.post<FileListResponse>('/files/list', { ...place, limit: 2, offset });
      expect(page).toMatchObject({ limit: 2, offset, total: 6 });
      all.push([...page.directories, ...page.entries.map(({ path }) => path)]);
    }
    expect(all).toEqual([['a', 'z'], ['B', 'a-'], ['b', 'é'], []]);
    expect(await client.post<FileListResponse>('/files/list', { ...place, path: 'a' })).toMatchObject({
      directories: [],
      entries: [{ path: 'a/inside', size: 0 }],
      limit: 50,
      offset: 0,
      total: 1,
    });
    for (const path of ['b', 'not-there', 'a/inside']) {
      expect(await client.send('POST', '/files/list', { body: { ...place, path } })).toMatchObject({ status: 404 });
    }
  });
});

describe('deleting', () => {
  it('requires `recursive` for a non-empty directory', async () => {
    const { client, place } = await makeWorkspace();
    await client.post('/files/mkdir', { ...place, path: 'a/b' });
    await makeFile(client, place, 'a/b/implied/c', 'c');
    expect(await client.send('POST', '/files/delete', { body: { ...place, path: 'a' } })).toMatchObject({
      status: 409,
      body: { detail: 'The directory is not empty' },
    });
    expect(await client.post('/files/delete', { ...place, path: 'a', recursive: true })).toEqual({ deleted: 3 });
    expect(
      await client.send('POST', '/files/delete', { body: { ...place, path: 'a', recursive: true } }),
    ).toMatchObject({
      status: 404,
      body: { detail: 'File not found' },
    });
    await client.post('/files/mkdir', { ...place, path: 'empty' });
    expect(await client.post('/files/delete', { ...place, path: 'empty' })).toEqual({ deleted: 1 });
  });

  it('skips missing paths in a batch and counts each path once', async () => {
    const { client, place } = await makeWorkspace();
    for (const path of ['a/b/c', 'a/d', 'e']) await makeFile(client, place, path, path);
    const paths = ['a/b', 'a', 'a/b/c', 'not-there', 'e', 'e'];
    expect(await client.post('/files/batch-delete', { ...place, paths })).toEqual({ deleted: 3 });
    expect(await client.post('/files/batch-delete', { ...place, paths: [] })).toEqual({ deleted: 0 });
    expect(await client.post('/files/batch-delete', place)).toEqual({ deleted: 0 });
  });
});

describe('a batch move', () => {
  it('performs its moves in order and continues after a failed move', async () => {
    const { client, place } = await makeWorkspace();
    for (const path of ['a', 'b', 'dir/c']) await makeFile(client, place, path, path);
    const moves = [
      { source_path: 'a', dest_path: 'new/place/a' },
      { source_path: '/a', dest_path: 'again' },
      { source_path: 'b', dest_path: 'new/place/a' },
      { source_path: 'b', dest_path: 'dir/c/b' },
      { source_path: 'dir', dest_path: 'dir/inside' },
      { source_path: 'new', dest_path: 'dir/new' },
      { source_path: 'b', dest_path: 'a' },
    ];
    expect(await client.post<BatchMoveResponse>('/files/batch-move', { ...place, moves })).toEqual({
      moved: 3,
      errors: [
        { source_path: '/a', error: 'File not found' },
        { source_path: 'b', error: 'The destination already exists' },
        { source_path: 'b', error: 'A file already exists at dir/c' },
        { source_path: 'dir', error: 'A directory cannot be moved into itself' },
      ],
    });
    expect(await pathsIn(client, place)).toEqual([
      'dir/',
      'dir/new/',
      'dir/new/place/',
      'a',
      'dir/c',
      'dir/new/place/a',
    ]);
  });

  it('keeps the id of a moved file', async () => {
    const { client, place } = await makeWorkspace();
    const before = await makeFile(client, place, 'a.csv', 'a');
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: 'a.csv', dest_path: 'b/c.csv' }] });
    const { entries } = await client.post<FileListResponse>('/files/list', { ...place, path: 'b' });
    expect(entries).toEqual([{ ...before, path: 'b/c.csv' }]);
  });
});

describe('invalid paths', () => {
  it.each([
    'a/../b',
    './a',
    'a//b',
    'a/',
    '/',
    'a\\b',
    'a\tb',
    'a\0b',
    'a\x7fb',
    'a\x85b',
    `${'x'.repeat(256)}`,
    'x/'.repeat(600) + 'x',
  ])('are rejected by all operations and change nothing: %j', async (path) => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'kept', 'kept');
    const at = async (operation: string, fields: object): Promise<unknown> =>
      await client.send('POST', `/files/${operation}`, { body: { ...place, ...fields } });
    const refused = (...loc: unknown[]): object => ({
      status: 422,
      body: { detail: [{ type: 'value_error', loc: ['body', ...loc], input: path }] },
    });
    expect(await at('content', { path })).toMatchObject(refused('path'));
    expect(await at('delete', { path })).toMatchObject(refused('path'));
    expect(await at('download', { path })).toMatchObject(refused('path'));
    expect(await at('upload/start', { path })).toMatchObject(refused('path'));
    expect(await at('batch-delete', { paths: ['kept', path] })).toMatchObject(refused('paths', 1));
    const moves = [
      { source_path: 'kept', dest_path: 'moved' },
      { source_path: 'kept', dest_path: path },
    ];
    expect(await at('batch-move', { moves })).toMatchObject(refused('moves', 1, 'dest_path'));
    if (path !== '/') {
      expect(await at('mkdir', { path })).toMatchObject(refused('path'));
      expect(await at('list', { path })).toMatchObject(refused('path'));
    }
    expect(await pathsIn(client, place)).toEqual(['kept']);
  });

  it('are reported before a missing identifier, because identifiers are checked only if all fields are valid', async () => {
    const { client } = await makeWorkspace();
    const body = { source: 'workspace', path: 'a', project_id: null, deployment_name: 'other' };
    expect(await client.send('POST', '/files/mkdir', { body })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body', 'project_id'], msg: 'Field required', input: body }] },
    });
    expect(await client.send('POST', '/files/mkdir', { body: { ...body, path: '..' } })).toMatchObject({
      body: { detail: [{ type: 'value_error', loc: ['body', 'path'] }] },
    });
  });
});

describe('file names', () => {
  it.each([
    'Ünï cödé 日本.csv',
    'a b%20c+d#e?f&g=h.csv',
    'it\'s (a) "file";.csv',
    `${'é'.repeat(127)}x`,
    `e\u0301${'x'.repeat(253)}`.normalize('NFC'),
    '...',
    '\u{1f600}',
  ])('are preserved by all operations: %j', async (name) => {
    const { client, place } = await makeWorkspace();
    const path = `dir ${name}`.slice(0, 12) + `/${name}`;
    expect(await makeFile(client, place, path, name)).toMatchObject({ path });
    expect(await client.post<FileContentResponse>('/files/content', { ...place, path })).toMatchObject({ text: name });
    const { url } = await client.post<FileDownloadResponse>('/files/download', { ...place, path });
    const downloaded = await raw(url);
    expect(downloaded).toMatchObject({ status: 200, text: name });
    const [, encoded = ''] =
      /filename\*=UTF-8''([\w%.!~-]*)$/.exec(downloaded.headers['content-disposition'] ?? '') ?? [];
    expect(decodeURIComponent(encoded)).toBe(name);
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: path, dest_path: name }] });
    expect(await pathsIn(client, place)).toEqual([name]);
    expect(await client.post('/files/delete', { ...place, path: name })).toEqual({ deleted: 1 });
  });

  it('are treated as equal in both Unicode normalization forms', async () => {
    const { client, place } = await makeWorkspace();
    const first = await makeFile(client, place, 'caf\u00e9.txt', 'first');
    const second = await makeFile(client, place, 'cafe\u0301.txt', 'second');
    expect(second).toMatchObject({ path: 'caf\u00e9.txt', id: first.id });
    expect(await client.post('/files/content', { ...place, path: 'cafe\u0301.txt' })).toMatchObject({ text: 'second' });
  });
});

describe('file content', () => {
  it.each([
    ['text', 'a,b\n1,2\n', 'a,b\n1,2\n'],
    ['a byte order mark', '\ufeffa', '\ufeffa'],
    ['an empty file', '', ''],
    ['a NUL byte', 'a\0b', null],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x61]), null],
  ])('is returned as text or base64: %s', async (_, content, text) => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a.csv', content);
    expect(await client.post('/files/content', { ...place, path: 'a.csv' })).toEqual({
      text,
      base64: text === null ? Buffer.from(content).toString('base64') : null,
      content_type: 'text/csv',
    });
  });

  it('must be downloaded if it is too large for a response', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'fits', 'x'.repeat(1000));
    await makeFile(client, place, 'large', 'x'.repeat(1001));
    expect((await client.send('POST', '/files/content', { body: { ...place, path: 'fits' } })).status).toBe(200);
    const refused = await client.send<{ detail: string }>('POST', '/files/content', {
      body: { ...place, path: 'large' },
    });
    expect(refused.status).toBe(413);
    expect(refused.body.detail).toContain('/api/v1/files/download');
  });

  it('exists only for files, not for directories', async () => {
    const { client, place } = await makeWorkspace();
    await client.post('/files/mkdir', { ...place, path: 'dir' });
    for (const operation of ['content', 'download']) {
      for (const path of ['dir', 'not-there', 'dir/not-there']) {
        expect(await client.send('POST', `/files/${operation}`, { body: { ...place, path } })).toMatchObject({
          status: 404,
          body: { detail: 'File not found' },
        });
      }
    }
  });
});

describe('a download URL', () => {
  it('serves the file and its ranges as an attachment that browsers do not run', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'page.html', '0123456789');
    const { url, expires_at } = await client.post<FileDownloadResponse>('/files/download', {
      ...place,
      path: 'page.html',
    });
    const lifetime = Date.parse(expires_at) - Date.now();
    expect(lifetime).toBeGreaterThan(14 * 60_000);
    expect(lifetime).toBeLessThanOrEqual(15 * 60_000);
    expect(url).toContain(service.url);
    const whole = await raw(url);
    expect(whole).toMatchObject({ status: 200, text: '0123456789' });
    expect(whole.headers).toMatchObject({
      'content-type': 'text/html',
      'content-length': '10',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'accept-ranges': 'bytes',
    });
    const part = await raw(url, { headers: { range: 'bytes=2-4' } });
    expect(part).toMatchObject({
      status: 206,
      text: '234',
      headers: { 'content-range': 'bytes 2-4/10', 'content-length': '3' },
    });
    expect(await raw(url, { headers: { range: 'bytes=10-' } })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */10' },
    });
    expect(await raw(url.replace('page.html', 'page.exe'))).toMatchObject({ status: 403 });
    expect(await raw(url.replace(/signature=.*/, 'signature='))).toMatchObject({ status: 403 });
    expect(await raw(url, { method: 'PUT', body: 'x' })).toMatchObject({ status: 403 });
  });

  it('serves the original content after the file has changed', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a', 'old');
    const { url } = await client.post<FileDownloadResponse>('/files/download', { ...place, path: 'a' });
    await makeFile(client, place, 'a', 'new');
    await client.post('/files/delete', { ...place, path: 'a' });
    expect(await raw(url)).toMatchObject({ status: 200, text: 'old' });
  });
});

describe('file operations', () => {
  it('let everyone in the company read a deployment’s files, but only company-level callers change them', async () => {
    const owner = await service.session();
    const member = await service.session({ role: 'member', company: owner.company });
    const { handle, name } = await makeDeployment(owner.client);
    const place = { source: 'deployment', deployment_name: handle } as const;
    const entry = await makeFile(owner.client, place, 'templates/a.csv', 'a');
    expect(entry).toMatchObject({ content_type: 'text/csv', source: null, id: null });
    expect(
      await member.client.post('/files/content', {
        source: 'deployment',
        deployment_name: name,
        path: 'templates/a.csv',
      }),
    ).toMatchObject({ text: 'a' });
    for (const [operation, fields] of [
      ['mkdir', { path: 'b' }],
      ['delete', { path: 'templates', recursive: true }],
      ['batch-delete', { paths: ['templates'] }],
      ['batch-move', { moves: [{ source_path: 'templates', dest_path: 'b' }] }],
      ['upload/start', { path: 'b' }],
    ] as const) {
      expect(await member.client.send('POST', `/files/${operation}`, { body: { ...place, ...fields } })).toMatchObject({
        status: 403,
      });
    }
    expect(await pathsIn(member.client, place)).toEqual(['templates/', 'templates/a.csv']);
  });

  it('cannot change a snapshot', async () => {
    const { client, place } = await makeWorkspace();
    const before = await makeFile(client, place, 'inputs/a.csv', 'then');
    const { current_snapshot_id: snapshot_id } = await client.patch<{ current_snapshot_id: string }>(
      `/projects/${place.project_id}`,
      {
        workspace_mode: 'run',
      },
    );
    await makeFile(client, place, 'inputs/a.csv', 'now');
    const snapshot = { source: 'snapshot', snapshot_id };
    expect(await client.post('/files/content', { ...snapshot, path: 'inputs/a.csv' })).toMatchObject({ text: 'then' });
    const { entries } = await client.post<FileListResponse>('/files/list', { ...snapshot, path: 'inputs' });
    expect(entries).toEqual([{ ...before, id: null, source: null } satisfies Wire<FileEntry>]);
    expect(await client.send('POST', '/files/mkdir', { body: { ...snapshot, path: 'b' } })).toMatchObject({
      status: 403,
    });
    expect(await client.send('POST', '/files/delete', { body: { ...snapshot, path: 'inputs' } })).toMatchObject({
      status: 403,
    });
    expect(
      await client.send('POST', '/files/mkdir', {
        body: { source: 'snapshot', snapshot_id: place.project_id, path: 'b' },
      }),
    ).toMatchObject({ status: 404 });
  });

  it('return 404 to callers from another company', async () => {
    const { client, place } = await makeWorkspace();
    await makeFile(client, place, 'a', 'a');
    const stranger = await service.session();
    for (const [operation, fields] of [
      ['mkdir', { path: 'b' }],
      ['list', {}],
      ['content', { path: 'a' }],
      ['download', { path: 'a' }],
      ['delete', { path: 'a' }],
      ['batch-delete', { paths: ['a'] }],
      ['batch-move', { moves: [{ source_path: 'a', dest_path: 'b' }] }],
      ['upload/start', { path: 'b' }],
    ] as const) {
      expect(
        await stranger.client.send('POST', `/files/${operation}`, { body: { ...place, ...fields } }),
      ).toMatchObject({
        status: 404,
        body: { detail: 'Project not found' },
      });
    }
  });
});

describe('the conversation_id in a change request', () => {
  it('must belong to the project', async () => {
    const { client, place } = await makeWorkspace();
    const other = await makeWorkspace();
    await makeFile(client, place, 'a', 'a');
    const { messages } = await other.client.get<ChatMessageListResponse>(`/projects/${other.place.project_id}/chat`);
    expect(messages).toEqual([]);
    for (const conversation_id of ['', 'none', other.place.project_id]) {
      expect(
        await client.send('POST', '/files/delete', { body: { ...place, path: 'a', conversation_id } }),
      ).toMatchObject({
        status: 404,
        body: { detail: 'Conversation not found' },
      });
    }
    expect(await pathsIn(client, place)).toEqual(['a']);
    expect(await client.post('/files/delete', { ...place, path: 'a', conversation_id: null })).toEqual({ deleted: 1 });
  });
});
