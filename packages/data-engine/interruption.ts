/** Thrown when the task is interrupted. */
export class Interrupted extends Error {}

const REPEAT_MS = 10;

/** Interruption of this process's current task. */
class Interruption {
  private id: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners = new Set<() => void>();

  /** Whether the task should stop. */
  get isRequested(): boolean {
    return this.timer !== undefined;
  }

  begin(id: number): void {
    this.id = id;
  }

  end(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.id = undefined;
  }

  /** Interrupts the task, unless it has already ended. */
  request(id: number): void {
    if (this.id !== id || this.timer !== undefined) return;
    const notify = (): void => this.listeners.forEach((listener) => listener());
    // Repeats the notification, because a statement that is just starting can miss the first call.
    this.timer = setInterval(notify, REPEAT_MS);
    notify();
  }

  /** @throws Interrupted if the task should stop */
  check(): void {
    if (this.isRequested) throw new Interrupted();
  }

  /** Calls `listener` repeatedly once the task should stop. Returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

export const interruption = new Interruption();
