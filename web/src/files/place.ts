import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { pathOf } from '../project/paths';
import { WORKSPACE } from './containers';
import { folderOf } from './paths';

/** What is looked at: a folder of a container, and perhaps a file in it. */
export interface Place {
  /** {@link Container.key} */
  container: string;
  /** Empty for the top. */
  folder: string;
  /** Path of the file that is shown. */
  file: string | undefined;
}

/** The address of a place: names between slashes, of a folder with a slash at its end. */
export function addressOf(projectId: string, { container, folder, file }: Place): string {
  const path = file ?? (folder === '' ? '' : `${folder}/`);
  return [pathOf(projectId, 'files'), container, ...path.split('/').map(encodeURIComponent)].join('/');
}

/** The place that the address names, so that it can be gone back to, kept and passed on. */
export function usePlace(projectId: string): Place {
  const [address] = useLocation();
  return useMemo(() => {
    const [container = '', ...names] = address.slice(pathOf(projectId, 'files').length + 1).split('/');
    const path = names.map(decoded).join('/');
    return {
      container: container === '' ? WORKSPACE : container,
      folder: folderOf(path),
      file: path === '' || path.endsWith('/') ? undefined : path,
    };
  }, [address, projectId]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody has typed it: a percent sign as it is.
    return text;
  }
}
