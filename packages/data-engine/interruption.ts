/** The task was told to stop. */
export class Interrupted extends Error {}

const REPEAT_MS = 10;

/** Tells the task of this process to stop. */
class Interruption {
  private id: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners = new Set<() => void>();

  /** Whether the task was told to stop. */
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

  /** Nothing happens if the task is over. */
  request(id: number): void {
    if (this.id !== id || this.timer !== undefined) return;
    const tell = (): void => this.listeners.forEach((listener) => listener());
    // A statement that begins in this moment does not hear of it.
    this.timer = setInterval(tell, REPEAT_MS);
    tell();
  }

  /** @throws Interrupted if the task was told to stop */
  check(): void {
    if (this.isRequested) throw new Interrupted();
  }

  /** Calls `listener`, again and again, when the task is told to stop. Returns what ends this. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

export const interruption = new Interruption();
