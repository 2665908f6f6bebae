import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { pathOf } from '../project/paths';
import { WORKSPACE } from './containers';
import { folderOf } from './paths';

/** Location in the file browser: a folder in a container, and optionally an open file. */
export interface FileLocation {
  /** {@link Container.key} */
  container: string;
  /** Path of the folder. Empty for the root. */
  folder: string;
  /** Path of the open file. */
  file: string | undefined;
}

/** Returns the URL of a location. The path of a folder ends with a slash. */
export function fileUrl(projectId: string, { container, folder, file }: FileLocation): string {
  const path = file ?? (folder === '' ? '' : `${folder}/`);
  return [pathOf(projectId, 'files'), container, ...path.split('/').map(encodeURIComponent)].join('/');
}

/** Returns the location in the URL. Because the location is stored there, history, bookmarks and sharing work. */
export function useFileLocation(projectId: string): FileLocation {
  const [address] = useLocation();
  return useMemo(() => {
    const [container = '', ...names] = address.slice(pathOf(projectId, 'files').length + 1).split('/');
    const path = names.map(decode).join('/');
    return {
      container: container === '' ? WORKSPACE : container,
      folder: folderOf(path),
      file: path === '' || path.endsWith('/') ? undefined : path,
    };
  }, [address, projectId]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A URL typed by hand may contain a literal percent sign.
    return text;
  }
}
