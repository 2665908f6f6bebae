import { QueryFailedError } from 'typeorm';

const FOREIGN_KEY_VIOLATION = '23503';

/** Deletes rows; resolves with false when a foreign key forbids it, as something refers to one of them. */
export async function unlessInUse(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
    if (code === FOREIGN_KEY_VIOLATION) return false;
    throw error;
  }
}
