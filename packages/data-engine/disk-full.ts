/** DuckDB has no error code for a full disk, so its message is checked. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === 'ENOSPC') || error.message.includes('No space left'));
