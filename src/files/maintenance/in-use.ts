import { sqlStateOf } from '../../database/sql-state.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** Deletes rows; resolves with false when a foreign key forbids it, as something refers to one of them. */
export async function unlessInUse(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION) return false;
    throw error;
  }
}
