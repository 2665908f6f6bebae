import { TooManyRequests } from '../errors/errors.js';

/** Maximum number of waiters per key. Additional requests are rejected immediately. */
const MAX_WAITING = 1_000;
/** Maximum wait for a slot. */
const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 1;

/** Maximum amount that a key may hold. */
export interface Share {
  key: string;
  limit: number;
}

/** Slot that is held or waited for. */
export interface Ticket {
  /** Absent if the slot was granted immediately. @throws TooManyRequests if the slot is not granted in time */
  readonly granted?: Promise<void>;
  /** Releases the slot or stops waiting. Repeated calls have no effect. */
  leave(): void;
}

interface Waiting {
  amount: number;
  shares: readonly Share[];
  grant: () => void;
}

/**
 * Distributes a bounded amount of a resource. A request names its shares, the narrowest first (a caller, then its company). It
 * waits while one of the shares or the total is used up. Waiters with different first keys are served alternately, so a caller's
 * long queue does not delay others.
 *
 * An idle share admits a single request above its limit, and so does the total. An oversized request therefore cannot wait
 * forever.
 */
export class FairShares {
  private readonly used = new Map<string, number>();
  private total = 0;
  private readonly queues = new Map<string, Waiting[]>();

  /** @param capacity total amount */
  constructor(
    private readonly capacity: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  get usedTotal(): number {
    return this.total;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.length;
    return count;
  }

  /** Takes a slot or waits for it. @throws TooManyRequests if too many requests are already waiting */
  take(amount: number, shares: readonly [Share, ...Share[]]): Ticket {
    const queue = this.queues.get(shares[0].key);
    if (queue === undefined && this.fits(amount, shares)) return this.hold(amount, shares);
    if ((queue?.length ?? 0) >= MAX_WAITING) throw tooMany();
    return this.queue(amount, shares);
  }

  /** Takes a slot if it is free now. Returns undefined otherwise. */
  takeNow(amount: number, shares: readonly [Share, ...Share[]]): Ticket | undefined {
    return this.fits(amount, shares) ? this.hold(amount, shares) : undefined;
  }

  /** Runs work that takes a single slot. @throws TooManyRequests if no slot is granted in time */
  async run<Value>(shares: readonly [Share, ...Share[]], work: () => Promise<Value>): Promise<Value> {
    const ticket = this.take(1, shares);
    try {
      await ticket.granted;
      return await work();
    } finally {
      ticket.leave();
    }
  }

  private hold(amount: number, shares: readonly Share[]): Ticket {
    this.add(amount, shares);
    let isHeld = true;
    return {
      leave: () => {
        if (!isHeld) return;
        isHeld = false;
        this.add(-amount, shares);
        if (this.queues.size > 0) this.grantWaiting();
      },
    };
  }

  private queue(amount: number, shares: readonly [Share, ...Share[]]): Ticket {
    const [{ key }] = shares;
    const queue = this.queues.get(key) ?? [];
    this.queues.set(key, queue);
    let leave: () => void = () => undefined;
    const granted = new Promise<void>((resolve, reject) => {
      const patience = setTimeout(() => {
        leave();
        reject(tooMany());
      }, this.patienceMs);
      const waiting: Waiting = {
        amount,
        shares,
        grant: () => {
          clearTimeout(patience);
          const ticket = this.hold(amount, shares);
          leave = () => ticket.leave();
          resolve();
        },
      };
      leave = () => {
        clearTimeout(patience);
        // Runs only once, because the key may have another queue later.
        leave = () => undefined;
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.queues.delete(key);
        // A waiter behind this request may fit where this request did not.
        else this.grantWaiting();
      };
      queue.push(waiting);
    });
    return { granted, leave: () => leave() };
  }

  /** Grants a slot to every waiter that fits, key by key. */
  private grantWaiting(): void {
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const [key, queue] of [...this.queues]) {
        const [first] = queue;
        if (first === undefined || !this.fits(first.amount, first.shares)) continue;
        queue.shift();
        // The key that was just served moves to the end.
        this.queues.delete(key);
        if (queue.length > 0) this.queues.set(key, queue);
        first.grant();
        isDone = false;
      }
    }
  }

  private fits(amount: number, shares: readonly Share[]): boolean {
    if (this.total > 0 && this.total + amount > this.capacity) return false;
    for (const { key, limit } of shares) {
      const used = this.used.get(key);
      if (used !== undefined && used + amount > limit) return false;
    }
    return true;
  }

  private add(amount: number, shares: readonly Share[]): void {
    this.total += amount;
    for (const { key } of shares) {
      const used = (this.used.get(key) ?? 0) + amount;
      if (used === 0) this.used.delete(key);
      else this.used.set(key, used);
    }
  }
}

const tooMany = (): TooManyRequests =>
  new TooManyRequests(
    'too_many_requests_at_once',
    'Too many requests at once; wait for responses before you send more',
    RETRY_SECONDS,
  );
