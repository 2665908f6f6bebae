import { statfs } from 'node:fs/promises';

const MIB = 1024 ** 2;

/** Whether `bytes` can be written to the disk of a folder so that `reserved` bytes stay free. */
export async function hasRoom(folder: string, reserved: number, bytes = 0): Promise<boolean> {
  return (await freeBytes(folder)) - bytes >= reserved;
}

/** Free and reserved space of a folder's disk, in a sentence for operators. */
export async function roomReport(folder: string, reserved: number): Promise<string> {
  const free = Math.floor((await freeBytes(folder)) / MIB);
  return `The disk of ${folder} has ${free} MiB free and ${Math.ceil(reserved / MIB)} MiB stay reserved (FILES_RESERVE_BYTES)`;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
