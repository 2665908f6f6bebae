/** Returns a copy of an object without some of its keys. */
export const omitKeys = <Value>(all: Readonly<Record<string, Value>>, keys: readonly string[]): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
