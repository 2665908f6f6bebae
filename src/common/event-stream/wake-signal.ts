/** Signal that stays set until it is consumed. */
export class WakeSignal {
  private isSent = false;
  private open: (() => void) | undefined;

  send(): void {
    this.isSent = true;
    this.open?.();
  }

  /** Resolves once the signal has been sent since the last call, and resets the signal. Supports a single waiter. */
  async received(): Promise<void> {
    if (!this.isSent) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    }
    this.isSent = false;
  }
}
