import { NotFoundError, PreconditionFailedError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { useCards } from '../project/cards';
import { MAX_SCENARIOS, useScenarios } from '../project/scenarios';
import { filePathOf, filePathOfChange } from '../project/used-files';
import { type Container, WORKSPACE } from './containers';
import { isAtOrBelow } from './paths';

export type Move = Schemas['MovePair'];

/** Maximum number of attempts while other users change the cards and scenarios. */
const MAX_ATTEMPTS = 5;

/** Names of the cards and scenarios that use files. */
interface FileUsers {
  names: string[];
  isPending: boolean;
}

/** Returns the data cards and scenarios that use files at or below the given paths. */
export function useFileUsers(projectId: string, container: Container, paths: readonly string[]): FileUsers {
  const isEnabled = paths.length > 0 && container.key === WORKSPACE;
  const cards = useCards(projectId, isEnabled);
  const scenarios = useScenarios(projectId, isEnabled);
  const isUsed = (path: string): boolean => paths.some((one) => isAtOrBelow(path, one));
  return {
    names: [
      ...(cards.data ?? []).filter((card) => isUsed(filePathOf(card))).map(({ label }) => label),
      ...(scenarios.data ?? [])
        .filter(({ changes }) => changes.some((change) => isUsed(filePathOfChange(change))))
        .map(({ name }) => `scenario ${name}`),
    ],
    isPending: isEnabled && (cards.isPending || scenarios.isPending),
  };
}

/**
 * Updates the paths of moved files in the cards and scenarios that use them.
 *
 * @returns the names of the cards and scenarios that could not be changed, with the errors
 */
export async function followMoves(
  client: WorkspaceClient,
  projectId: string,
  moves: readonly Move[],
): Promise<{ name: string; error: unknown }[]> {
  const path = { project_id: projectId };
  const { cards } = (await client.GET('/api/v1/projects/{project_id}/cards', { params: { path } })).data;
  const query = { limit: MAX_SCENARIOS };
  const { scenarios } = (await client.GET('/api/v1/projects/{project_id}/scenarios', { params: { path, query } })).data;
  const failures: { name: string; error: unknown }[] = [];
  const attempt = async (name: string, write: () => Promise<void>): Promise<void> => {
    await retried(write).catch((error: unknown) => failures.push({ name, error }));
  };
  for (const { id, label, ...card } of cards)
    if (newPath(filePathOf(card), moves) !== undefined)
      await attempt(label, async () => await followInCard(client, { ...path, card_id: id }, moves));
  for (const { id, name, changes } of scenarios)
    if (changes.some((change) => newPath(filePathOfChange(change), moves) !== undefined))
      await attempt(
        `scenario ${name}`,
        async () => await followInScenario(client, { ...path, scenario_id: id }, moves),
      );
  return failures;
}

/** Writes again if another user changes the card or scenario at the same time. Ignores a removed card or scenario. */
async function retried(write: () => Promise<void>): Promise<void> {
  for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      await write();
      return;
    } catch (error) {
      if (error instanceof NotFoundError) return;
      if (!(error instanceof PreconditionFailedError) || attemptsLeft === 1) throw error;
    }
  }
}

async function followInCard(
  client: WorkspaceClient,
  path: { project_id: string; card_id: string },
  moves: readonly Move[],
): Promise<void> {
  const url = '/api/v1/projects/{project_id}/cards/{card_id}';
  const { data, response } = await client.GET(url, { params: { path } });
  const file_path = newPath(filePathOf(data), moves);
  if (file_path === undefined) return;
  const header = { 'If-Match': response.headers.get('etag') ?? '' };
  await client.PATCH(url, { params: { path, header }, body: { version: data.version, data: { file_path } } });
}

async function followInScenario(
  client: WorkspaceClient,
  path: { project_id: string; scenario_id: string },
  moves: readonly Move[],
): Promise<void> {
  const url = '/api/v1/projects/{project_id}/scenarios/{scenario_id}';
  const { data, response } = await client.GET(url, { params: { path } });
  const changes = data.changes.map((change) => ({
    ...change,
    to: newPath(filePathOfChange(change), moves) ?? change.to,
  }));
  const header = { 'If-Match': response.headers.get('etag') ?? '' };
  await client.PATCH(url, { params: { path, header }, body: { changes } });
}

/** Returns the path after the moves, or undefined if it is unchanged. */
function newPath(path: string, moves: readonly Move[]): string | undefined {
  const move = moves.find(({ source_path }) => isAtOrBelow(path, source_path));
  return move && move.dest_path + path.slice(move.source_path.length);
}
