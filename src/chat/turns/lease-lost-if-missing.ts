import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';

/** Converts NotFound to LeaseLost, because a turn is deleted together with its project or conversation. @throws LeaseLost */
export function leaseLostIfMissing(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}
