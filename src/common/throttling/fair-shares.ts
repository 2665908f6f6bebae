import { TooManyRequests } from '../errors/errors.js';

/** Most waiters per key; the next one is refused at once. */
const MAX_WAITING = 1_000;
/** Longest wait for a turn. */
const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 1;

/** The part of the whole that a key can take. */
export interface Share {
  key: string;
  limit: number;
}

/** A place that is held or waited for. */
export interface Ticket {
  /** Absent: the place is already granted. @throws TooManyRequests when it is not granted in time */
  readonly granted?: Promise<void>;
  /** Releases the place or stops waiting; can be called again. */
  leave(): void;
}

interface Waiting {
  amount: number;
  shares: readonly Share[];
  grant: () => void;
}

/**
 * Hands out a bounded amount of something. Whoever asks names its shares, the narrowest one first (a caller, then its
 * company), and waits while one of them or the whole is used up. Those who wait under different first keys get their turns
 * alternately, so a long queue of one caller holds up nobody else.
 *
 * A share that nothing is taken of gives even what is beyond its limit, and so does the whole: nobody waits for ever.
 */
export class FairShares {
  private readonly used = new Map<string, number>();
  private total = 0;
  private readonly queues = new Map<string, Waiting[]>();

  /** @param capacity the whole */
  constructor(
    private readonly capacity: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Amount in use. */
  get taken(): number {
    return this.total;
  }

  /** Number of waiters. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.length;
    return count;
  }

  /** Takes a place or waits for one. @throws TooManyRequests when too many wait already */
  take(amount: number, shares: readonly [Share, ...Share[]]): Ticket {
    const queue = this.queues.get(shares[0].key);
    if (queue === undefined && this.fits(amount, shares)) return this.hold(amount, shares);
    if ((queue?.length ?? 0) >= MAX_WAITING) throw tooMany();
    return this.queue(amount, shares);
  }

  /** Takes a place that is free now; undefined when none is. */
  takeNow(amount: number, shares: readonly [Share, ...Share[]]): Ticket | undefined {
    return this.fits(amount, shares) ? this.hold(amount, shares) : undefined;
  }

  /** Does work that takes one place. @throws TooManyRequests when no place is granted in time */
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
        // Once only: later the key may have another queue.
        leave = () => undefined;
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.queues.delete(key);
        // Who is behind may fit where this one did not.
        else this.grantWaiting();
      };
      queue.push(waiting);
    });
    return { granted, leave: () => leave() };
  }

  /** Gives everybody who can have one a place, one key after the other. */
  private grantWaiting(): void {
    for (let isOver = false; !isOver;) {
      isOver = true;
      for (const [key, queue] of [...this.queues]) {
        const [first] = queue;
        if (first === undefined || !this.fits(first.amount, first.shares)) continue;
        queue.shift();
        // The one just served moves to the end.
        this.queues.delete(key);
        if (queue.length > 0) this.queues.set(key, queue);
        first.grant();
        isOver = false;
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
    'Too many requests at once: wait for answers before sending more',
    RETRY_SECONDS,
  );
