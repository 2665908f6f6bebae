import { NotFoundError, type WorkspaceClient } from '@project-workspace/client';
import { folderOf, joinPath, nameOf, splitName } from '../paths';

/**
 * Returns an unused path similar to the requested path, so that no existing file is replaced. Adds the path to `reservedPaths`.
 */
export async function freePath(
  client: WorkspaceClient,
  project_id: string,
  requestedPath: string,
  reservedPaths: Set<string>,
  signal: AbortSignal,
): Promise<string> {
  const [stem, ending] = splitName(nameOf(requestedPath));
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? requestedPath : joinPath(folderOf(requestedPath), `${stem} (${number})${ending}`);
    if (reservedPaths.has(path)) continue;
    reservedPaths.add(path);
    if (!(await isFile(client, project_id, path, signal))) return path;
  }
}

/** Whether a file exists at a path. */
export async function isFile(
  client: WorkspaceClient,
  project_id: string,
  path: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await client.POST('/api/v1/files/download', { body: { source: 'workspace', project_id, path }, signal });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError && error.code !== 'project_not_found') return false;
    throw error;
  }
}
