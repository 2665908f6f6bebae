import { statfs } from 'node:fs/promises';

const MIB = 1024 ** 2;

/** Returns whether `bytes` can be written to a folder's disk while `reserved` bytes stay free. */
export async function hasRoom(folder: string, reserved: number, bytes = 0): Promise<boolean> {
  return (await freeBytes(folder)) - bytes >= reserved;
}

/** Returns a sentence for operators about free and reserved space on a folder's disk. */
export async function roomReport(folder: string, reserved: number): Promise<string> {
  const free = Math.floor((await freeBytes(folder)) / MIB);
  return `The disk of ${folder} has ${free} MiB free, but ${Math.ceil(reserved / MIB)} MiB must stay free (FILES_RESERVE_BYTES)`;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
