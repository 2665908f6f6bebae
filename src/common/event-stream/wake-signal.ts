/** A signal that stays set until it is read. */
export class WakeSignal {
  private isSent = false;
  private open: (() => void) | undefined;

  send(): void {
    this.isSent = true;
    this.open?.();
  }

  /** Resolves once the signal was sent since it last resolved. For a single waiter. */
  async received(): Promise<void> {
    if (!this.isSent) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    }
    this.isSent = false;
  }
}
