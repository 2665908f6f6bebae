import { extname } from 'node:path/posix';
import { lookup } from 'mime-types';

/** Returns the media type for the extension of a path, or null if it is missing or unknown. */
export function contentTypeByName(path: string): string | null {
  const extension = extname(path);
  return (extension !== '' && lookup(extension)) || null;
}
