import { NotFound } from '../../platform/errors/errors.js';
import { LeaseLost } from '../../platform/leases/lease.js';

/** For a turn whose project is not found: the turn has ended with it. @throws LeaseLost */
export function lostWithProject(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}
