/** For `catch`: a missing file or folder is no error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}

/** Whether an error is one of the system's with this code, such as `ENOSPC`. */
export function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
