import { newId } from '@project-workspace/client';

/** Milliseconds after a success within which the same action is the second press of a double click. */
const DOUBLE_MS = 500;

/**
 * Gives each action of a person one idempotency key. The same action keeps its key until it has succeeded, however often people
 * press its button.
 */
export class Intents {
  /** Idempotency key of the present action. */
  key = newId();
  private action: string | undefined;
  private isPending = false;
  private succeededAt: number | undefined;

  /** Begins an action. Returns false if it is pending, or has just succeeded. */
  begins(action: unknown, now = Date.now()): boolean {
    const text = String(JSON.stringify(action));
    const isSame = text === this.action;
    const isSecondPress = isSame && this.succeededAt !== undefined && now - this.succeededAt < DOUBLE_MS;
    if (this.isPending || isSecondPress) return false;
    if (!isSame || this.succeededAt !== undefined) this.key = newId();
    this.action = text;
    this.isPending = true;
    this.succeededAt = undefined;
    return true;
  }

  /** Ends the present action. An action that failed keeps its key, because it may have taken effect. */
  end(hasSucceeded: boolean, now = Date.now()): void {
    this.isPending = false;
    if (hasSucceeded) this.succeededAt = now;
  }
}
