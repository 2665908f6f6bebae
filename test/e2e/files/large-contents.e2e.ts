import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FileContentResponse } from '../../../src/files/files.dto.js';
import { makeFile, makeProject, type Place } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';

const MiB = 1024 ** 2;
const service = useSharedService();
let client: Client;
let place: Place & { project_id: string };

beforeAll(async () => {
  ({ client } = await service.session({ role: 'member' }));
  const { id } = await makeProject(client);
  place = { source: 'workspace', project_id: id };
});

const read = async (path: string): Promise<{ status: number; body: FileContentResponse & { detail?: string } }> =>
  (await client.send('POST', '/files/content', { body: { ...place, path } })) as never;

describe('the content of a file', () => {
  it.each([
    ['10 MiB of U+0001', Buffer.alloc(10 * MiB, 1)],
    ['10 MiB of U+001F and letters', Buffer.alloc(10 * MiB, 'a\u001f')],
    ['4 MiB of U+0001', Buffer.alloc(4 * MiB, 1)],
  ])('is too long for JSON and must be downloaded: %s', async (_, content) => {
    await makeFile(client, place, 'controls.txt', content);
    const { status, body } = await read('controls.txt');
    expect(status).toBe(413);
    expect(body.detail).toContain('use POST /api/v1/files/download');
  });

  it.each<[string, Buffer]>([
    ['3 MiB of U+0001', Buffer.alloc(3 * MiB, 1)],
    ['10 MiB of line feeds', Buffer.alloc(10 * MiB, '\n')],
    ['10 MiB of quotes and backslashes', Buffer.alloc(10 * MiB, '"\\')],
    ['characters of two, three and four bytes', Buffer.from('aé日😀'.repeat(100_003))],
    [
      'a byte order mark and all control characters',
      Buffer.from(`\ufeff${'\u0001\b\t\n\u000b\f\r\u001f "\\\u007f\u2028é'.repeat(30_000)}`),
    ],
  ])('is returned unchanged if it is text: %s', async (_, content) => {
    await makeFile(client, place, 'text.txt', content);
    const { status, body } = await read('text.txt');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['text', 'base64', 'content_type']);
    expect(body).toMatchObject({ base64: null, content_type: 'text/plain' });
    expect(Buffer.from(body.text ?? '').equals(content)).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['NUL at the end', Buffer.concat([Buffer.alloc(MiB, 'a'), Buffer.alloc(1)])],
    ['a character cut off at the end', Buffer.from('日'.repeat(200_000)).subarray(0, -1)],
    [
      'an invalid UTF-8 byte in the middle',
      Buffer.concat([Buffer.alloc(MiB, 'é'), Buffer.from([0xff]), Buffer.alloc(MiB, 'é')]),
    ],
    ['10 MiB of 0xFF', Buffer.alloc(10 * MiB, 0xff)],
  ])('is returned as base64 if it is binary: %s', async (_, content) => {
    await makeFile(client, place, 'bytes.bin', content);
    const { status, body } = await read('bytes.bin');
    expect(status).toBe(200);
    expect(body.text).toBeNull();
    expect(Buffer.from(body.base64 ?? '', 'base64').equals(content)).toBe(true);
  });
});
