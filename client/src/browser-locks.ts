/** Web Lock held by this window. All windows of an origin compete for the same locks. */
export interface HeldLock {
  name: string;
  /** Aborted when another window steals the lock. */
  stolen: AbortSignal;
  release: () => void;
}

/**
 * Maximum number of open streams across all windows. Browsers open six HTTP/1.1 connections per host, so two stay free
 * for requests.
 */
const MAX_STREAMS = 4;
const SLOT_NAMES = Array.from({ length: MAX_STREAMS }, (_, at) => `project-workspace place ${at + 1}`);

export interface LockOptions {
  ifAvailable?: boolean;
  steal?: boolean;
  signal?: AbortSignal;
}

/** Subset of `navigator.locks` that this file uses. */
interface Locks {
  request(name: string, options: LockOptions, hold: (lock: object | null) => Promise<void>): Promise<void>;
  query(): Promise<{ pending?: { name?: string }[] }>;
}

const { navigator } = globalThis as { navigator?: { locks?: Locks } };

/** Whether this browser supports Web Locks. They are available only over HTTPS and on localhost. */
export const hasLocks = (): boolean => typeof BroadcastChannel !== 'undefined' && navigator?.locks !== undefined;

function locks(): Locks {
  if (navigator?.locks === undefined) throw new Error('This browser does not support Web Locks');
  return navigator.locks;
}

/** Takes a lock. Returns undefined if `ifAvailable` is set and the lock is already held. @throws the signal's reason */
export function takeLock(name: string, options: LockOptions = {}): Promise<HeldLock | undefined> {
  const stolen = new AbortController();
  return new Promise((resolve, reject) => {
    const hold = (lock: object | null): Promise<void> =>
      new Promise((release) => {
        resolve(lock === null ? undefined : { name, stolen: stolen.signal, release });
        if (lock === null) release();
      });
    locks()
      .request(name, options, hold)
      .catch((error: Error) => {
        stolen.abort(error);
        reject(error);
      });
  });
}

/** Reserves one of the browser's stream slots. Waits if all of them are taken. */
export async function reserveStreamSlot(signal: AbortSignal): Promise<HeldLock> {
  for (const name of SLOT_NAMES) {
    const slot = await takeLock(name, { ifAvailable: true });
    if (slot !== undefined) return slot;
  }
  const { pending = [] } = await locks().query();
  const waitersOf = (slot: string): number => pending.filter(({ name }) => name === slot).length;
  const shortest = SLOT_NAMES.reduce((best, slot) => (waitersOf(slot) < waitersOf(best) ? slot : best));
  return (await takeLock(shortest, { signal })) as HeldLock;
}

/** Whether another stream is waiting for this slot. */
export async function hasSlotWaiters({ name }: HeldLock): Promise<boolean> {
  const { pending = [] } = await locks().query();
  return pending.some((lock) => lock.name === name);
}
