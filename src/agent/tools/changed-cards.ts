import { type ModelCard, modelDigest, plainVariables } from '../../../packages/canvas/index.js';

/** Returns the labels of the model cards that were changed, added or removed between two versions of a canvas. */
export function changedCards(before: readonly ModelCard[], after: readonly ModelCard[]): string[] {
  const [old, current] = [digests(before), digests(after)];
  const ids = new Set([...old.keys(), ...current.keys()]);
  return [...ids].flatMap((id) => {
    const [previous, next] = [old.get(id), current.get(id)];
    return previous?.digest === next?.digest ? [] : [(next ?? previous)!.label];
  });
}

/** Returns the digests of the cards that affect a solve, by card id. */
function digests(cards: readonly ModelCard[]): Map<string, { label: string; digest: string }> {
  const variables = plainVariables(cards);
  const emptyDigest = modelDigest([]);
  const result = new Map<string, { label: string; digest: string }>();
  for (const card of cards) {
    const digest = modelDigest([card], variables);
    if (digest !== emptyDigest) result.set(card.id, { label: card.label, digest });
  }
  return result;
}
