import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';

/** Converts NotFound to LeaseLost, because deleting a project or conversation also deletes its turns. @throws LeaseLost */
export function leaseLostIfMissing(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}
