import {
  ConflictError,
  NotFoundError,
  PreconditionFailedError,
  type Schemas,
  type WorkspaceClient,
} from '@project-workspace/client';
import { useCards } from '../project/cards';
import { useScenarios } from '../project/scenarios';
import { filePathOf, filePathOfChange } from '../project/used-files';
import { type Container, WORKSPACE } from './containers';

type Card = Schemas['CardResponse'];
export type Move = Schemas['MovePair'];

/** Maximum number of attempts while other users change the cards and scenarios. */
const MAX_ATTEMPTS = 5;

/** The files were moved, but not all cards and scenarios have the new paths. */
export class FollowError extends Error {
  override name = 'FollowError';

  constructor(cause: unknown) {
    super('The files were moved, but some cards or scenarios still have the old path', { cause });
  }
}

/** Names of the cards and scenarios that use files. */
export interface FileUsers {
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
 * Enters the new paths of moved files into the cards and scenarios that use them.
 *
 * @throws FollowError
 */
export async function followMoves(client: WorkspaceClient, projectId: string, moves: readonly Move[]): Promise<void> {
  const params = { path: { project_id: projectId } };
  for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      const { cards } = (await client.GET('/api/v1/projects/{project_id}/cards', { params })).data;
      for (const card of cards) await unlessGone(followInCard(client, card, moves));
      const { scenarios } = (await client.GET('/api/v1/projects/{project_id}/scenarios', { params })).data;
      for (const { id } of scenarios) await unlessGone(followInScenario(client, projectId, id, moves));
      return;
    } catch (error) {
      const hasChanged =
        error instanceof PreconditionFailedError ||
        (error instanceof ConflictError && error.code === 'version_conflict');
      if (!hasChanged || attemptsLeft === 1) throw new FollowError(error);
    }
  }
}

async function followInCard(client: WorkspaceClient, card: Card, moves: readonly Move[]): Promise<void> {
  const file_path = newPath(filePathOf(card), moves);
  if (file_path === undefined) return;
  const params = { path: { project_id: card.project_id, card_id: card.id } };
  const body = { version: card.version, data: { file_path } };
  await client.PATCH('/api/v1/projects/{project_id}/cards/{card_id}', { params, body });
}

async function followInScenario(
  client: WorkspaceClient,
  projectId: string,
  scenarioId: string,
  moves: readonly Move[],
): Promise<void> {
  const path = { project_id: projectId, scenario_id: scenarioId };
  const url = '/api/v1/projects/{project_id}/scenarios/{scenario_id}';
  const { data, response } = await client.GET(url, { params: { path } });
  const changes = data.changes.map((change) => ({
    ...change,
    to: newPath(filePathOfChange(change), moves) ?? change.to,
  }));
  if (changes.every(({ to }, at) => to === data.changes[at]?.to)) return;
  const header = { 'If-Match': response.headers.get('etag') ?? '' };
  await client.PATCH(url, { params: { path, header }, body: { changes } });
}

/** Ignores cards and scenarios that another user has removed. */
async function unlessGone(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
}

/** Returns the path after the moves, or undefined if it is unchanged. */
function newPath(path: string, moves: readonly Move[]): string | undefined {
  const move = moves.find(({ source_path }) => isAtOrBelow(path, source_path));
  return move && move.dest_path + path.slice(move.source_path.length);
}

const isAtOrBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);
