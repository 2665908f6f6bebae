import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** Returns the random secret in `file` (mode 0600). Creates it on first use. */
export async function readOrCreateSecret(file: string): Promise<string> {
  const existing = await readIfExists(file);
  if (existing !== undefined) return existing;
  // Written under another name first, so that a crash never leaves a truncated secret.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(48).toString('base64url'), { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return await readFile(file, 'utf8');
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
