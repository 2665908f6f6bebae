import { chmod, mkdir, stat } from 'node:fs/promises';

/**
 * Creates a folder that other users of the machine cannot enter. Restricts access to an existing folder if this user owns it.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  // A mounted volume can belong to another user, and only the owner of a folder can change its mode.
  if ((await stat(path)).uid === process.getuid?.()) await chmod(path, 0o700);
}
