import type { WorkspaceClient } from '@project-workspace/client';
import { useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import { reasonOf } from '../service/failure';
import { useService } from '../service/service';
import { headersOfPart, type IntentHeaders, useIntent } from '../service/use-intent';
import type { ContainerRef } from './containers';
import { followMoves, type Move } from './file-users';

/** Maximum number of files that a single request moves or deletes. */
const BATCH_SIZE = 1_000;

interface MoveFailure {
  /** Path that was not moved, or name of a card or scenario that still has the old path. */
  of: string;
  reason: string;
}

/** Some files could not be moved. All other files were moved. */
export class MoveError extends Error {
  override name = 'MoveError';

  constructor(failures: MoveFailure[]) {
    super(failures.map(({ of, reason }) => `${of}: ${reason}.`).join(' '));
  }
}

/** All files were moved, but some cards and scenarios still have the old paths. */
export class FollowError extends MoveError {
  override name = 'FollowError';
}

/**
 * Mutations for a file tree. They stay pending until the tree has been read again. Cards and scenarios follow the files that
 * they use.
 */
export function useChanges(projectId: string, container: ContainerRef) {
  const { client } = useService();
  const queries = useQueryClient();
  const onSettled = async (): Promise<void> => await queries.invalidateQueries({ queryKey: keyOf(projectId, 'files') });
  const makeFolder = useIntent({
    mutationFn: async (path: string, headers) =>
      (await client.POST('/api/v1/files/mkdir', { body: { ...container, path }, headers })).data,
    onSettled,
  });
  const move = useIntent({
    mutationFn: async (moves: Move[], headers) => {
      const failures: MoveFailure[] = [];
      const followFailures: MoveFailure[] = [];
      for (const [at, batch] of inBatches(moves).entries()) {
        const failed = await moveFiles(client, container, batch, headersOfPart(headers, at));
        const failedPaths = new Set(failed.map(({ of }) => of));
        const moved = batch.filter(({ source_path }) => !failedPaths.has(source_path));
        failures.push(...failed);
        followFailures.push(...(await notFollowed(client, projectId, moved)));
      }
      if (failures.length > 0) throw new MoveError([...failures, ...followFailures]);
      if (followFailures.length > 0) throw new FollowError(followFailures);
    },
    onSettled,
  });
  const remove = useIntent({
    mutationFn: async (paths: string[], headers) => {
      for (const [at, batch] of inBatches(paths).entries()) {
        const body = { ...container, paths: batch };
        await client.POST('/api/v1/files/batch-delete', { body, headers: headersOfPart(headers, at) });
      }
    },
    onSettled,
  });
  return { makeFolder, move, remove };
}

/** Returns the files that could not be moved. */
async function moveFiles(
  client: WorkspaceClient,
  container: ContainerRef,
  moves: Move[],
  headers: IntentHeaders,
): Promise<MoveFailure[]> {
  const { data } = await client.POST('/api/v1/files/batch-move', { body: { ...container, moves }, headers });
  return (data.errors ?? []).map(({ source_path: of, error: reason }) => ({ of, reason }));
}

/** Returns the cards and scenarios that could not follow their files. */
async function notFollowed(client: WorkspaceClient, projectId: string, moves: Move[]): Promise<MoveFailure[]> {
  const failed = await followMoves(client, projectId, moves).catch((error: unknown) => [
    { name: 'Every card and scenario', error },
  ]);
  return failed.map(({ name, error }) => ({
    of: name,
    reason: `still has the old path (${reasonOf(error)})`,
  }));
}

const inBatches = <Item>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, index) =>
    items.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  );

/** Number of files and folders that would be deleted. */
export interface Contents {
  folders: number;
  files: number;
  /** Whether `files` also counts folders, because there are too many entries to count them separately. */
  includesFolders: boolean;
}

/** Counts the contents of folders. */
export async function contentsOf(
  client: WorkspaceClient,
  container: ContainerRef,
  folders: string[],
  signal: AbortSignal,
): Promise<Contents> {
  const sum: Contents = { folders: 0, files: 0, includesFolders: false };
  for (const path of folders) {
    const body = { ...container, path, recursive: true, limit: BATCH_SIZE, offset: 0 };
    const { data } = await client.POST('/api/v1/files/list', { body, signal });
    // Folders are listed first. If they do not fill the page, the page contains all of them.
    const hasAllFolders = data.directories.length < BATCH_SIZE;
    sum.folders += hasAllFolders ? data.directories.length : 0;
    sum.files += hasAllFolders ? data.total - data.directories.length : data.total;
    sum.includesFolders ||= !hasAllFolders;
  }
  return sum;
}
