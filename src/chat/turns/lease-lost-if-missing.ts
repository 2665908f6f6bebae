import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';

/**
 * Converts NotFound to LeaseLost. If the project or conversation no longer exists, its turns have ended as well.
 * @throws LeaseLost
 */
export function leaseLostIfMissing(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}
