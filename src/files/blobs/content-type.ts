import { extname } from 'node:path/posix';
import { lookup } from 'mime-types';

/** Returns the media type for a path's extension, or null if the extension is missing or unknown. */
export function contentTypeByName(path: string): string | null {
  const extension = extname(path);
  return (extension !== '' && lookup(extension)) || null;
}
