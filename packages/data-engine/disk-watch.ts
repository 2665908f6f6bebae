import { statfs } from 'node:fs/promises';

const INTERVAL_MS = 100;

/** Looks at the disk of a folder while something is written there. */
export class DiskWatch {
  /** Whether what has to be left on the disk was touched. */
  isFull = false;
  private readonly timer: NodeJS.Timeout;

  /** @param onFull called once when less than `reserved` bytes are free */
  constructor(
    private readonly folder: string,
    private readonly reserved: number,
    private readonly onFull: () => void,
  ) {
    this.timer = setInterval(() => void this.look(), INTERVAL_MS);
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    // A folder that cannot be looked at cannot be written to either, which tells its own fault.
    if (this.isFull || (await this.hasRoom().catch(() => true))) return;
    this.isFull = true;
    this.stop();
    this.onFull();
  }

  /** Whether the disk keeps its reserved bytes free. */
  private async hasRoom(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize >= this.reserved;
  }
}
