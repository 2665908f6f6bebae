import { statfs } from 'node:fs/promises';

const INTERVAL_MS = 100;

/** Polls the free disk space of a folder while files are written there. */
export class DiskWatch {
  /** Whether the free space has fallen below the reserve. */
  isFull = false;
  private readonly timer: NodeJS.Timeout;

  /** @param onFull called once when fewer than `reserved` bytes are free */
  constructor(
    private readonly folder: string,
    private readonly reserved: number,
    private readonly onFull: () => void,
  ) {
    this.timer = setInterval(() => void this.checkSpace(), INTERVAL_MS);
    void this.checkSpace();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async checkSpace(): Promise<void> {
    // If the free space cannot be read, writing fails too, and the write reports its own error.
    if (this.isFull || (await this.hasFreeSpace().catch(() => true))) return;
    this.isFull = true;
    this.stop();
    this.onFull();
  }

  /** Returns whether the reserved bytes are still free. */
  private async hasFreeSpace(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize >= this.reserved;
  }
}
