import { QueryFailedError } from 'typeorm';

/** The five letters and digits by which PostgreSQL tells its errors apart; an empty text for every other error. */
export function sqlStateOf(error: unknown): string {
  const { code = '' } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
  return code;
}
