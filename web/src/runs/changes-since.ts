import type { Schemas } from '@project-workspace/client';
import type { RunSummary, Scenario } from './runs-data';

type Card = Pick<Schemas['CardResponse'], 'id' | 'label' | 'updated_at' | 'data'>;

/** Cards, files and scenarios to compare with the start of a run. */
export interface CurrentModel {
  cards: readonly Card[];
  files: readonly Pick<Schemas['FileEntry'], 'path' | 'modified'>[];
  scenarios: readonly Pick<Scenario, 'id' | 'name' | 'updated_at'>[];
}

/**
 * Returns the names of the cards, their files, and the scenarios that changed since a run began. Returns no names for a run of a
 * model file, which does not depend on the canvas.
 *
 * @param runCards cards that the run has solved; undefined while they are loading
 */
export function changesSince(
  { created_at, scenario_id, input_file_ids }: Pick<RunSummary, 'created_at' | 'scenario_id' | 'input_file_ids'>,
  { cards, files, scenarios }: CurrentModel,
  runCards: readonly Pick<Card, 'id' | 'label'>[] | undefined,
): string[] {
  if ((input_file_ids ?? []).length > 0) return [];
  const startedAt = Date.parse(created_at);
  const isLater = (time: string): boolean => Date.parse(time) > startedAt;
  const isChanged = ({ updated_at }: { updated_at: string }): boolean => isLater(updated_at);
  const usedPaths = new Set(cards.map(({ data }) => data['file_path']));
  const ids = new Set(cards.map(({ id }) => id));
  const removed = runCards?.filter(({ id }) => !ids.has(id)) ?? [];
  return [
    ...cards.filter(isChanged).map(({ label }) => label),
    ...files.filter(({ path, modified }) => usedPaths.has(path) && isLater(modified ?? '')).map(({ path }) => path),
    ...removed.map(({ label }) => `${label} (removed)`),
    ...scenarios.filter((one) => one.id === scenario_id && isChanged(one)).map(({ name }) => `scenario ${name}`),
  ];
}

/** Maximum number of names in the sentence. The remaining names are counted. */
const MAX_NAMES = 3;

/** Returns the changes as a sentence: `The model has changed since: Labour, Hours and 2 more`. */
export function changesInWords(changes: readonly string[]): string {
  const more = changes.length - MAX_NAMES;
  const names = changes.slice(0, MAX_NAMES).join(', ');
  return `The model has changed since: ${names}${more > 0 ? ` and ${more} more` : ''}`;
}
