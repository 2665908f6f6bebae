import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { testRun } from './run.js';

const PIECE = 8 * 1024 ** 2;

/** Creates a file of random bytes and returns its path and hash. */
export async function makeRandomFile(size: number): Promise<{ path: string; hash: string }> {
  const path = join(await mkdtemp(join(testRun().directory, 'random-')), 'file');
  const hash = createHash('sha256');
  for (let left = size; left > 0; left -= PIECE) {
    const bytes = randomBytes(Math.min(left, PIECE));
    hash.update(bytes);
    await appendFile(path, bytes);
  }
  return { path, hash: hash.digest('hex') };
}

/** Downloads a URL and returns the hash of its content. */
export async function hashOf(url: string): Promise<string> {
  const hash = createHash('sha256');
  const { body } = await fetch(url);
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) hash.update(bytes);
  return hash.digest('hex');
}
