/**
 * Saves a value for reloads of this tab. If the storage is full, the value is only in memory, and an older one is removed because it
 * would be misleading.
 */
export function saveInTab(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(key);
  }
}
