/** DuckDB has no code for it. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === 'ENOSPC') || error.message.includes('No space left'));
