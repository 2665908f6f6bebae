import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';

/** For a turn whose project or conversation is not found: the turn has gone with it. @throws LeaseLost */
export function lostWhereGone(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}
