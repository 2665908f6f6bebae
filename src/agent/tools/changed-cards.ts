import { type ModelCard, modelDigest, plainVariables } from '../../../packages/canvas/index.js';

/** Returns the labels of a model's cards that were changed, added or removed between two states of a canvas. */
export function changedCards(before: readonly ModelCard[], now: readonly ModelCard[]): string[] {
  const [old, current] = [digests(before), digests(now)];
  const ids = new Set([...old.keys(), ...current.keys()]);
  return [...ids].flatMap((id) => {
    const [one, other] = [old.get(id), current.get(id)];
    return one?.digest === other?.digest ? [] : [(other ?? one)!.label];
  });
}

/** Returns the digests of the cards that a solve reads, by card id. */
function digests(cards: readonly ModelCard[]): Map<string, { label: string; digest: string }> {
  const variables = plainVariables(cards);
  const nothing = modelDigest([]);
  const found = new Map<string, { label: string; digest: string }>();
  for (const card of cards) {
    const digest = modelDigest([card], variables);
    if (digest !== nothing) found.set(card.id, { label: card.label, digest });
  }
  return found;
}
