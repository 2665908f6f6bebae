import { ConflictError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { useCards } from '../project/cards';
import { type Container, WORKSPACE } from './containers';

type Card = Schemas['CardResponse'];
export type Move = Schemas['MovePair'];

/** Maximum number of rounds in which other users change the cards at the same time. */
const MAX_ROUNDS = 5;

/** Returns the labels of the data cards that read files at or below the given paths. */
export function useFileCards(projectId: string, container: Container, paths: readonly string[]): string[] {
  const { data: cards = [] } = useCards(projectId, paths.length > 0 && container.key === WORKSPACE);
  return cards.filter((card) => paths.some((path) => isAtOrBelow(filePathOf(card), path))).map(({ label }) => label);
}

/** Changes the data cards of moved files, so that they read the files at their new paths. */
export async function followMoves(client: WorkspaceClient, projectId: string, moves: readonly Move[]): Promise<void> {
  for (let roundsLeft = MAX_ROUNDS; ; roundsLeft -= 1) {
    try {
      const params = { path: { project_id: projectId } };
      const { data } = await client.GET('/api/v1/projects/{project_id}/cards', { params });
      for (const card of data.cards) await follow(client, card, moves);
      return;
    } catch (error) {
      if (!(error instanceof ConflictError) || roundsLeft === 1) throw error;
    }
  }
}

async function follow(client: WorkspaceClient, card: Card, moves: readonly Move[]): Promise<void> {
  const from = filePathOf(card);
  const move = moves.find(({ source_path }) => isAtOrBelow(from, source_path));
  if (move === undefined) return;
  const body = { version: card.version, data: { file_path: move.dest_path + from.slice(move.source_path.length) } };
  const params = { path: { project_id: card.project_id, card_id: card.id } };
  await client.PATCH('/api/v1/projects/{project_id}/cards/{card_id}', { params, body });
}

/** Returns the path of the workspace file that a card reads, or an empty string. */
function filePathOf({ card_type, data: { file_path } }: Card): string {
  return card_type === 'data' && typeof file_path === 'string' ? file_path.replace(/^\/+/, '') : '';
}

const isAtOrBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);
