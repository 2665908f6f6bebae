/** Returns the last segment of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the parent folder of a path. Returns an empty string for a path in the root folder. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Whether a path is the given path or below it. */
export const isAtOrBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Splits a file name into its stem and its extension, such as `demand` and `.csv`. */
export function splitName(name: string): [stem: string, ending: string] {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

export const extensionOf = (path: string): string => splitName(nameOf(path))[1].toLowerCase();

/** Returns a file name for display. Replaces bidirectional control characters, because they could disguise the extension. */
export const displayName = (path: string): string =>
  nameOf(path).replaceAll(/[\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/g, '\uFFFD');
