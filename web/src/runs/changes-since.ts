import type { Schemas } from '@project-workspace/client';
import { listFirst } from '../frame/list-first';
import type { Scenario } from '../project/scenarios';
import { filePathOf, filePathOfChange } from '../project/used-files';
import type { RunSummary } from './runs-data';

type Card = Pick<Schemas['CardResponse'], 'id' | 'label' | 'updated_at' | 'card_type' | 'data'>;

/** Cards, files and scenarios to compare with the start of a run. */
export interface CurrentModel {
  cards: readonly Card[];
  /** When each file was last changed, by path. */
  modified: ReadonlyMap<string, string>;
  scenarios: readonly Pick<Scenario, 'id' | 'name' | 'updated_at' | 'changes'>[];
}

/**
 * Returns the names of the cards, their files, and the scenarios that changed since a run began. Returns no names for a run of a
 * model file, which does not depend on the canvas.
 *
 * @param runCards cards that the run has solved; undefined while they are loading
 */
export function changesSince(
  { created_at, scenario_id, input_file_ids }: Pick<RunSummary, 'created_at' | 'scenario_id' | 'input_file_ids'>,
  { cards, modified, scenarios }: CurrentModel,
  runCards: readonly Pick<Card, 'id' | 'label'>[] | undefined,
): string[] {
  if ((input_file_ids ?? []).length > 0) return [];
  const startedAt = Date.parse(created_at);
  const isLater = (time: string): boolean => Date.parse(time) > startedAt;
  const isChanged = ({ updated_at }: { updated_at: string }): boolean => isLater(updated_at);
  const ids = new Set(cards.map(({ id }) => id));
  const removed = runCards?.filter(({ id }) => !ids.has(id)) ?? [];
  return [
    ...cards.filter(isChanged).map(({ label }) => label),
    ...usedPaths({ scenario_id }, { cards, scenarios }).filter((path) => isLater(modified.get(path) ?? '')),
    ...removed.map(({ label }) => `${label} (removed)`),
    ...scenarios.filter((one) => one.id === scenario_id && isChanged(one)).map(({ name }) => `scenario ${name}`),
  ];
}

/** Maximum number of names in the sentence. The remaining names are counted. */
const MAX_NAMES = 3;

/** Returns the paths of the workspace files that a run has read if the model has not changed since. */
export function usedPaths(
  { scenario_id }: Pick<RunSummary, 'scenario_id'>,
  { cards, scenarios }: Pick<CurrentModel, 'cards' | 'scenarios'>,
): string[] {
  const changes = scenarios.find(({ id }) => id === scenario_id)?.changes.filter(({ kind }) => kind === 'file') ?? [];
  const replaced = new Set(changes.map(({ target }) => target));
  const isRead = ({ id, label, data: { set, members } }: Card): boolean =>
    typeof set === 'string' && members == null && ![set, id, label].some((name) => replaced.has(name));
  const paths = [...cards.filter(isRead).map(filePathOf), ...changes.map(filePathOfChange)];
  return [...new Set(paths)].filter((path) => path !== '');
}

/** Returns the changes as a sentence: `The model has changed since: Labour, Hours and 2 more`. */
export const changesInWords = (changes: readonly string[]): string =>
  `The model has changed since: ${listFirst(changes, MAX_NAMES)}`;
