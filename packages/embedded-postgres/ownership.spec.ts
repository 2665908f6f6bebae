import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnedElsewhereError } from './errors.js';
import { takeOwnership } from './ownership.js';

describe('takeOwnership', () => {
  let directory: string;

  beforeEach(async () => {
    // The path exceeds the length limit for socket paths.
    directory = await mkdtemp(join(tmpdir(), `ownership-${'x'.repeat(120)}-`));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('grants a directory to only one of many simultaneous claimants', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => takeOwnership(directory)));
    const won = asked.filter((result) => result.status === 'fulfilled');
    const lost = asked.filter((result) => result.status === 'rejected');
    expect(won).toHaveLength(1);
    for (const { reason } of lost)
      expect(reason).toMatchObject({ constructor: OwnedElsewhereError, directory, pid: process.pid });
    await won[0]?.value.release();
  });

  it('allows a new claim after a release and leaves nothing behind', async () => {
    for (let turn = 0; turn < 3; turn += 1) await (await takeOwnership(directory)).release();
    expect(await readdir(join(directory, 'postgres.owner'))).toEqual([]);
  });

  it('ignores and removes sockets of dead processes', async () => {
    await (await takeOwnership(directory)).release();
    await writeFile(join(directory, 'postgres.owner', '1-dead.sock'), '');
    const ownership = await takeOwnership(directory);
    expect(await readdir(join(directory, 'postgres.owner'))).toHaveLength(1);
    await ownership.release();
  });

  it('treats an owner that does not answer as alive', async () => {
    const short = await mkdtemp(join(tmpdir(), 'ownership-'));
    await (await takeOwnership(short)).release();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(join(short, 'postgres.owner', '4711-silent.sock'), resolve);
    });
    await expect(takeOwnership(short)).rejects.toThrow(`${short} is in use by process 4711`);
    silent.close();
    await rm(short, { recursive: true });
  });
});
