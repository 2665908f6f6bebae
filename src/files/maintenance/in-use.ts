import { sqlStateOf } from '../../database/sql-state.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** Deletes rows. Returns false if a foreign key prevents it because another row refers to one of these rows. */
export async function unlessInUse(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION) return false;
    throw error;
  }
}
