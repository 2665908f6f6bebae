/** A lock of the browser, held over all windows of its origin. */
export interface HeldLock {
  name: string;
  /** Aborted when another window has stolen the lock. */
  stolen: AbortSignal;
  release: () => void;
}

/** Streams of all windows together. Browsers open six HTTP/1.1 connections to a host; two stay free for requests. */
const MAX_STREAMS = 4;
const PLACES = Array.from({ length: MAX_STREAMS }, (_, at) => `project-workspace place ${at + 1}`);

export interface LockOptions {
  ifAvailable?: boolean;
  steal?: boolean;
  signal?: AbortSignal;
}

/** What is used of `navigator.locks`. */
interface Locks {
  request(name: string, options: LockOptions, hold: (lock: object | null) => Promise<void>): Promise<void>;
  query(): Promise<{ pending?: { name?: string }[] }>;
}

const { navigator } = globalThis as { navigator?: { locks?: Locks } };

/** Whether this browser has locks. Pages without TLS have none, except on localhost. */
export const hasLocks = (): boolean => typeof BroadcastChannel !== 'undefined' && navigator?.locks !== undefined;

function locks(): Locks {
  if (navigator?.locks === undefined) throw new Error('There are no locks here');
  return navigator.locks;
}

/** Takes a lock. Undefined if it is held and `options` ask not to wait. @throws the reason of the signal */
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

/** Takes a place among the open streams of the browser, and waits for one if all are taken. */
export async function takePlace(signal: AbortSignal): Promise<HeldLock> {
  for (const name of PLACES) {
    const place = await takeLock(name, { ifAvailable: true });
    if (place !== undefined) return place;
  }
  const { pending = [] } = await locks().query();
  const waiting = (place: string): number => pending.filter(({ name }) => name === place).length;
  const shortest = PLACES.reduce((best, place) => (waiting(place) < waiting(best) ? place : best));
  return (await takeLock(shortest, { signal })) as HeldLock;
}

/** Whether a stream waits for a place. */
export async function isPlaceWanted({ name }: HeldLock): Promise<boolean> {
  const { pending = [] } = await locks().query();
  return pending.some((lock) => lock.name === name);
}
