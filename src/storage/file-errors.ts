/** Ignores a missing file or folder. For `catch`. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}

/** Returns whether an error is a system error with this code, such as `ENOSPC`. */
export function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
