import { NotFoundError, PreconditionFailedError, type Schemas, type WorkspaceClient } from '@project-workspace/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';

export type Card = Schemas['CardResponse'];
type NewCard = Schemas['CardCreateRequest'];
export type Kind = NewCard['card_type'];

/** Times that a write is tried while nothing but what follows from other cards changes. */
const TRIES = 5;

/** A card is not as it was seen any more: nothing was written. */
export class CardChangedError extends Error {
  override name = 'CardChangedError';

  /** @param card as it is now; undefined when it was removed */
  constructor(readonly card: Card | undefined) {
    super(card === undefined ? 'The card was removed meanwhile' : 'The card has changed meanwhile');
  }
}

/** Adds a card to a canvas. @param onDone hears of it once it is shown */
export function useAddCard(projectId: string, onDone: (added: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async (body: NewCard, headers) => {
      const params = { path: { project_id: projectId } };
      return (await client.POST('/api/v1/projects/{project_id}/cards', { params, body, headers })).data;
    },
    onSuccess: async (added) => {
      await keep(queries, projectId, (cards) => [...cards.filter(({ id }) => id !== added.id), added]);
      onDone(added);
    },
  });
}

export interface CardChange {
  /** As whoever changes it has seen it. */
  seen: Card;
  label?: string;
  /** Keys to set; null removes one. */
  data?: Card['data'];
}

/** Changes a card that is as it was seen. Fails with a {@link CardChangedError} when it is not, and knows then how it is. */
export function useChangeCard(projectId: string, onDone: (changed: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async ({ seen, label, data }: CardChange) =>
      await asSeen(client, seen, async (path, tag) => {
        const params = { path, header: { 'If-Match': tag } };
        const body = { version: seen.version, ...(label !== undefined && { label }), ...(data && { data }) };
        return (await client.PATCH('/api/v1/projects/{project_id}/cards/{card_id}', { params, body })).data;
      }),
    onSuccess: async (card) => {
      await keep(queries, projectId, (cards) => replaced(cards, card.id, card));
      onDone(card);
    },
    onError: (error, { seen }) => keepChanged(queries, projectId, seen, error),
  });
}

/** Removes a card that is as it was seen; fails as a change does. */
export function useRemoveCard(projectId: string, onDone: (removed: Card) => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useIntent({
    mutationFn: async (seen: Card) => {
      try {
        await asSeen(client, seen, async (path, tag) => {
          const params = { path, header: { 'If-Match': tag } };
          await client.DELETE('/api/v1/projects/{project_id}/cards/{card_id}', { params });
        });
      } catch (error) {
        // Somebody else has removed it already.
        if (!(error instanceof CardChangedError) || error.card !== undefined) throw error;
      }
    },
    onSuccess: async (_, seen) => {
      await keep(queries, projectId, (cards) => replaced(cards, seen.id, undefined));
      onDone(seen);
    },
    onError: (error, seen) => keepChanged(queries, projectId, seen, error),
  });
}

interface CardPath {
  project_id: string;
  card_id: string;
}

/**
 * Writes to a card that is as it was seen and to no other: between the look at it and the write its entity tag holds it. That tag
 * also changes with the gaps of the card, which follow from others; then it is looked at again.
 */
async function asSeen<Result>(
  client: WorkspaceClient,
  seen: Card,
  write: (path: CardPath, tag: string) => Promise<Result>,
): Promise<Result> {
  const path = { project_id: seen.project_id, card_id: seen.id };
  for (let left = TRIES; ; left -= 1) {
    try {
      const { data, response } = await client.GET('/api/v1/projects/{project_id}/cards/{card_id}', {
        params: { path },
      });
      if (data.version !== seen.version || data.updated_at !== seen.updated_at) throw new CardChangedError(data);
      return await write(path, response.headers.get('etag') ?? '');
    } catch (error) {
      if (error instanceof NotFoundError && error.code === 'card_not_found') throw new CardChangedError(undefined);
      if (!(error instanceof PreconditionFailedError) || left === 1) throw error;
    }
  }
}

/** The cards with another one in the place of one of them, or none. */
const replaced = (cards: Card[], id: string, by: Card | undefined): Card[] =>
  cards.flatMap((card) => (card.id === id ? (by ?? []) : card));

async function keepChanged(queries: QueryClient, projectId: string, seen: Card, error: unknown): Promise<void> {
  if (error instanceof CardChangedError)
    await keep(queries, projectId, (cards) => replaced(cards, seen.id, error.card));
}

/** Shows at once what is known of a write; what follows from it is read again. */
async function keep(queries: QueryClient, projectId: string, change: (cards: Card[]) => Card[]): Promise<void> {
  const queryKey = keyOf(projectId, 'cards');
  // An answer from before the write would hide it.
  await queries.cancelQueries({ queryKey });
  queries.setQueryData<Card[]>(queryKey, (cards) => cards && change(cards));
  void queries.invalidateQueries({ queryKey });
  void queries.invalidateQueries({ queryKey: keyOf(projectId, 'project') });
}
