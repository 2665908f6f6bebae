import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { makePrivateFolder } from './private-folder.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'private-folder-'));
});
afterEach(() => rm(parent, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

it('creates a folder that other users cannot enter', async () => {
  const path = join(parent, 'a', 'b');
  await makePrivateFolder(path);
  expect(await modeOf(path)).toBe(0o700);
});

it.each([0o755, 0o711, 0o777])('makes an existing folder with mode %d private', async (mode) => {
  const path = join(parent, 'objects');
  await mkdir(path);
  await chmod(path, mode);
  await makePrivateFolder(path);
  expect(await modeOf(path)).toBe(0o700);
});
