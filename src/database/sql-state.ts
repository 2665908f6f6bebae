import { QueryFailedError } from 'typeorm';

/** The SQLSTATE of a database error, such as `40P01`. Empty for all other errors. */
export function sqlStateOf(error: unknown): string {
  const { code = '' } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
  return code;
}
