import { QueryFailedError } from 'typeorm';

/** Returns the SQLSTATE of a database error, such as `40P01`, or an empty string for all other errors. */
export function sqlStateOf(error: unknown): string {
  const { code = '' } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
  return code;
}
