import { newId } from '@project-workspace/client';

/** Maximum time in milliseconds between the two clicks of a double click. */
const DOUBLE_CLICK_MS = 500;

/**
 * Assigns an idempotency key to each user action. Pressing the same button again reuses the key until the action has succeeded.
 */
export class Intents {
  /** Idempotency key of the current action. */
  key = newId();
  private action: string | undefined;
  private isPending = false;
  private succeededAt: number | undefined;

  /** Begins an action. Returns false if the action is still pending or has just succeeded. */
  tryBegin(action: unknown, now = Date.now()): boolean {
    const text = String(JSON.stringify(action));
    const isSame = text === this.action;
    const isSecondPress = isSame && this.succeededAt !== undefined && now - this.succeededAt < DOUBLE_CLICK_MS;
    if (this.isPending || isSecondPress) return false;
    if (!isSame || this.succeededAt !== undefined) this.key = newId();
    this.action = text;
    this.isPending = true;
    this.succeededAt = undefined;
    return true;
  }

  /** Ends the current action. A failed action keeps its key, because it may have taken effect. */
  end(hasSucceeded: boolean, now = Date.now()): void {
    this.isPending = false;
    if (hasSucceeded) this.succeededAt = now;
  }
}
