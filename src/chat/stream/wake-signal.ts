/** Remembers that somebody has sent it until somebody has looked. */
export class WakeSignal {
  private isSent = false;
  private open: (() => void) | undefined;

  send(): void {
    this.isSent = true;
    this.open?.();
  }

  /** Resolves once it was sent after the last time it resolved. For one that waits. */
  async received(): Promise<void> {
    if (!this.isSent) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    }
    this.isSent = false;
  }
}
