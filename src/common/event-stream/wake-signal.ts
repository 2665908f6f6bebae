/** Signal that stays set until it is consumed. */
export class WakeSignal {
  private isSent = false;
  private open: (() => void) | undefined;

  send(): void {
    this.isSent = true;
    this.open?.();
  }

  /** Resolves as soon as the signal was sent since the last call, and resets it. Supports a single waiter. */
  async received(): Promise<void> {
    if (!this.isSent) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    }
    this.isSent = false;
  }
}
