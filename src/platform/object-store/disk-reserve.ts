import { statfs } from 'node:fs/promises';

/** Free space that is always left on a disk, in bytes. */
const RESERVED_BYTES = 1024 ** 3;

/** Whether `bytes` can be written to the disk of a folder without touching what is always left. */
export async function hasRoom(folder: string, bytes = 0): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - bytes >= RESERVED_BYTES;
}
