import type { MetricsService } from '../common/metrics/metrics.service.js';
import { InsufficientStorage, Unavailable } from '../common/errors/errors.js';
import type { ObjectStore } from './object-store.js';

/** Operations that wait for the disk or the server. `get` ends when the first bytes arrive. */
const OPERATIONS = [
  'put',
  'get',
  'size',
  'delete',
  'startUpload',
  'listParts',
  'completeUpload',
  'abortUpload',
] as const satisfies (keyof ObjectStore)[];

type Work = (...args: unknown[]) => Promise<unknown>;

/** Wraps a store to measure each operation, including the calls that the store makes to itself. */
export function measured(store: ObjectStore, metrics: MetricsService): ObjectStore {
  const durations = metrics.histogram({
    name: 'pws_object_store_operation_duration_seconds',
    help: 'Seconds of file store operations by outcome: done, refused (the object does not exist), unavailable, full',
    labels: ['operation', 'outcome'],
  });
  const operations = new Map(
    OPERATIONS.map((operation): [PropertyKey, Work] => {
      const work = (store[operation] as Work).bind(store);
      return [
        operation,
        async (...args) => {
          const end = durations.startTimer({ operation });
          try {
            const answer = await work(...args);
            end({ outcome: 'done' });
            return answer;
          } catch (error) {
            end({ outcome: outcomeOf(error) });
            throw error;
          }
        },
      ];
    }),
  );
  return new Proxy(store, { get: (target, key) => operations.get(key) ?? bound(target, key) });
}

function outcomeOf(error: unknown): string {
  if (error instanceof Unavailable) return 'unavailable';
  return error instanceof InsufficientStorage ? 'full' : 'refused';
}

function bound(store: ObjectStore, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(store, key);
  return typeof value === 'function' ? (value.bind(store) as unknown) : value;
}
