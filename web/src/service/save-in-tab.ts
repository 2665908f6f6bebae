/**
 * Saves a value so that it survives reloads of this tab. If the storage is full, the value is not saved, and an older saved
 * value is removed because it would be outdated.
 */
export function saveInTab(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(key);
  }
}
