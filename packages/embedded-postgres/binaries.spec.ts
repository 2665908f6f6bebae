import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureCopy } from './binaries.js';

let folder: string;
let native: string;
let copy: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'binaries-'));
  [native, copy] = [join(folder, 'native'), join(folder, 'postgresql-18')];
  for (const name of ['bin', 'lib', 'share/timezone']) await mkdir(join(native, name), { recursive: true });
  await writeFile(join(native, 'bin/postgres'), 'program', { mode: 0o700 });
  await writeFile(join(native, 'lib/libpq.so.5.18'), 'library');
  await symlink('libpq.so.5.18', join(native, 'lib/libpq.so.5'));
  await writeFile(join(native, 'share/timezone/UTC'), 'zone', { mode: 0o600 });
});
afterEach(async () => await rm(folder, { recursive: true }));

async function expectWhole(): Promise<void> {
  expect(await readFile(join(copy, 'bin/postgres'), 'utf8')).toBe('program');
  expect(await readFile(join(copy, 'lib/libpq.so.5.18'), 'utf8')).toBe('library');
  expect(await readlink(join(copy, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
  expect(await readFile(join(copy, 'share/timezone/UTC'), 'utf8')).toBe('zone');
  expect((await stat(join(copy, 'bin/postgres'))).mode & 0o777).toBe(0o755);
  expect(await readdir(folder)).toEqual(['native', 'postgresql-18']);
}

describe('the copy of the PostgreSQL programs', () => {
  it('is created only once and can be run by every user', async () => {
    await ensureCopy(native, copy);
    await expectWhole();
    const { ino } = await lstat(copy);
    await ensureCopy(native, copy);
    expect((await lstat(copy)).ino).toBe(ino);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a library is missing', () => rm(join(copy, 'lib/libpq.so.5.18'))],
    ['a symbolic link is missing, as after an installation without links', () => rm(join(copy, 'lib/libpq.so.5'))],
    ['a program is truncated', () => writeFile(join(copy, 'bin/postgres'), 'pro')],
    ['a folder is missing', () => rm(join(copy, 'share'), { recursive: true })],
    [
      'a file has been replaced by a folder',
      async () => {
        await rm(join(copy, 'share/timezone/UTC'));
        await mkdir(join(copy, 'share/timezone/UTC'));
      },
    ],
    [
      'it is empty',
      async () => {
        await rm(copy, { recursive: true });
        await mkdir(copy);
      },
    ],
  ])('is replaced when %s', async (_what, damage) => {
    await ensureCopy(native, copy);
    await damage();
    await ensureCopy(native, copy);
    await expectWhole();
  });

  it('can be created by several processes at the same time', async () => {
    await chmod(join(native, 'bin'), 0o700);
    await Promise.all(Array.from({ length: 4 }, async () => await ensureCopy(native, copy)));
    await expectWhole();
  });
});
