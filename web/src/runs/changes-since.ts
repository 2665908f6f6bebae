import type { Schemas } from '@project-workspace/client';
import type { ListedRun, Scenario } from './runs-data';

type Card = Pick<Schemas['CardResponse'], 'id' | 'label' | 'updated_at'>;

/** What a model consists of now. */
export interface PresentModel {
  cards: readonly Card[];
  scenarios: readonly Pick<Scenario, 'id' | 'name' | 'updated_at'>[];
}

/**
 * Names of what has changed in a model since a run of it began. A model file is no part of the canvas.
 *
 * @param solved the cards that the run has solved; undefined while they are not known
 */
export function changesSince(
  { created_at, scenario_id, input_file_ids }: Pick<ListedRun, 'created_at' | 'scenario_id' | 'input_file_ids'>,
  { cards, scenarios }: PresentModel,
  solved: readonly Pick<Card, 'id' | 'label'>[] | undefined,
): string[] {
  if ((input_file_ids ?? []).length > 0) return [];
  const began = Date.parse(created_at);
  const isLater = ({ updated_at }: { updated_at: string }): boolean => Date.parse(updated_at) > began;
  const ids = new Set(cards.map(({ id }) => id));
  const removed = solved?.filter(({ id }) => !ids.has(id)) ?? [];
  return [
    ...cards.filter(isLater).map(({ label }) => label),
    ...removed.map(({ label }) => `${label} (removed)`),
    ...scenarios.filter((one) => one.id === scenario_id && isLater(one)).map(({ name }) => `scenario ${name}`),
  ];
}

/** Names that are shown; the others are counted. */
const SHOWN = 3;

/** The changes as a sentence: `The model has changed since: Labour, Hours and 2 more`. */
export function changesInWords(changes: readonly string[]): string {
  const more = changes.length - SHOWN;
  const shown = changes.slice(0, SHOWN).join(', ');
  return `The model has changed since: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
