import type { Schemas } from '@project-workspace/client';
import type { ListedRun, Scenario } from './runs-data';

type Card = Pick<Schemas['CardResponse'], 'id' | 'label' | 'updated_at'>;

/** Current model. */
export interface PresentModel {
  cards: readonly Card[];
  scenarios: readonly Pick<Scenario, 'id' | 'name' | 'updated_at'>[];
}

/**
 * Returns the names of model changes since a run began. A model file is independent of the canvas.
 *
 * @param solved cards that the run has solved; undefined while they are loading
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

/** Maximum number of names shown. The remaining names are counted. */
const SHOWN = 3;

/** Returns the changes as a sentence: `The model has changed since: Labour, Hours and 2 more`. */
export function changesInWords(changes: readonly string[]): string {
  const more = changes.length - SHOWN;
  const shown = changes.slice(0, SHOWN).join(', ');
  return `The model has changed since: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
