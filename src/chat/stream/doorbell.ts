/** Remembers that somebody rang until somebody looked. */
export class Doorbell {
  private isRung = false;
  private open: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.open?.();
  }

  /** Resolves once it was rung after the last time it resolved. For one that waits. */
  async rung(): Promise<void> {
    if (!this.isRung) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    }
    this.isRung = false;
  }
}
