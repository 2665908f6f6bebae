import { NotFoundError, PreconditionFailedError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';

export type Card = Schemas['CardResponse'];
type NewCard = Schemas['CardCreateRequest'];
export type Kind = NewCard['card_type'];

/** Maximum number of attempts to write a card while only its derived values, such as gaps, change. */
const MAX_ATTEMPTS = 5;

/** The card has changed since the user last saw it. Nothing was written. */
export class CardChangedError extends Error {
  override name = 'CardChangedError';

  /** @param card current version; undefined if the card was removed */
  constructor(readonly card: Card | undefined) {
    super(card === undefined ? 'The card was removed in the meantime' : 'The card has changed in the meantime');
  }
}

/** Adds a card to a canvas. @param onDone called when the new card is displayed */
export function useAddCard(projectId: string, onDone: (added: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async (body: NewCard, headers) => {
      const params = { path: { project_id: projectId } };
      return (await client.POST('/api/v1/projects/{project_id}/cards', { params, body, headers })).data;
    },
    onSuccess: async (added) => {
      await updateCache(queries, projectId, (cards) => [...cards.filter(({ id }) => id !== added.id), added]);
      onDone(added);
    },
  });
}

export interface CardChange {
  /** Version on which the change is based. */
  base: Card;
  label?: string;
  /** Keys to set. Null removes a key. */
  data?: Card['data'];
}

/** Changes a card. Fails with a {@link CardChangedError}, which contains the current version, if the card differs from `base`. */
export function useChangeCard(projectId: string, onDone: (changed: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async ({ base, label, data }: CardChange) =>
      await writeIfUnchanged(client, base, async (path, tag) => {
        const params = { path, header: { 'If-Match': tag } };
        const body = { version: base.version, ...(label !== undefined && { label }), ...(data && { data }) };
        return (await client.PATCH('/api/v1/projects/{project_id}/cards/{card_id}', { params, body })).data;
      }),
    onSuccess: async (card) => {
      await updateCache(queries, projectId, (cards) => replaceCard(cards, card.id, card));
      onDone(card);
    },
    onError: (error, { base }) => cacheCurrentVersion(queries, projectId, base, error),
  });
}

/** Removes a card. Fails with a {@link CardChangedError} if the card differs from `base`. */
export function useRemoveCard(projectId: string, onDone: (removed: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async (base: Card) => {
      try {
        await writeIfUnchanged(client, base, async (path, tag) => {
          const params = { path, header: { 'If-Match': tag } };
          await client.DELETE('/api/v1/projects/{project_id}/cards/{card_id}', { params });
        });
      } catch (error) {
        // Another user has already removed the card.
        if (!(error instanceof CardChangedError) || error.card !== undefined) throw error;
      }
    },
    onSuccess: async (_, base) => {
      await updateCache(queries, projectId, (cards) => replaceCard(cards, base.id, undefined));
      onDone(base);
    },
    onError: (error, base) => cacheCurrentVersion(queries, projectId, base, error),
  });
}

interface CardPath {
  project_id: string;
  card_id: string;
}

/**
 * Writes to a card only if it is unchanged since the user saw it. The entity tag detects changes between this check and the
 * write. Because the tag also changes with the card's gaps, which depend on other cards, the check and the write are repeated
 * if the tag does not match.
 */
async function writeIfUnchanged<Result>(
  client: WorkspaceClient,
  base: Card,
  write: (path: CardPath, tag: string) => Promise<Result>,
): Promise<Result> {
  const path = { project_id: base.project_id, card_id: base.id };
  for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      const { data, response } = await client.GET('/api/v1/projects/{project_id}/cards/{card_id}', {
        params: { path },
      });
      if (data.version !== base.version || data.updated_at !== base.updated_at) throw new CardChangedError(data);
      return await write(path, response.headers.get('etag') ?? '');
    } catch (error) {
      if (error instanceof NotFoundError && error.code === 'card_not_found') throw new CardChangedError(undefined);
      if (!(error instanceof PreconditionFailedError) || attemptsLeft === 1) throw error;
    }
  }
}

/** Returns the cards with one card replaced. Without a `replacement`, the card is removed. */
const replaceCard = (cards: Card[], id: string, replacement: Card | undefined): Card[] =>
  cards.flatMap((card) => (card.id === id ? (replacement ?? []) : card));

async function cacheCurrentVersion(queries: QueryClient, projectId: string, base: Card, error: unknown): Promise<void> {
  if (error instanceof CardChangedError)
    await updateCache(queries, projectId, (cards) => replaceCard(cards, base.id, error.card));
}

/** Shows the result of a write immediately, then refetches everything that depends on it. */
async function updateCache(queries: QueryClient, projectId: string, change: (cards: Card[]) => Card[]): Promise<void> {
  const queryKey = keyOf(projectId, 'cards');
  // A response to a request from before the write would overwrite the new value.
  await queries.cancelQueries({ queryKey });
  queries.setQueryData<Card[]>(queryKey, (cards) => cards && change(cards));
  void queries.invalidateQueries({ queryKey });
  void queries.invalidateQueries({ queryKey: keyOf(projectId, 'project') });
}
