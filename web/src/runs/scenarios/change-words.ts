import type { Schemas } from '@project-workspace/client';
import { formatFigure } from '../figures';

export type Change = Schemas['ScenarioChange'];
type Adjustment = Schemas['RunAdjustment'];
type Card = Pick<Schemas['CardResponse'], 'id' | 'label'>;

/** Describes a change in words, such as `price × 1.1 where region = "north"`. */
export function changeInWords(change: Change, cards: readonly Card[] = []): string {
  const { kind, target, where, key } = change;
  switch (kind) {
    case 'add':
      return target;
    case 'off':
      return `without ${labelOf(target, cards)}`;
    case 'limit':
      return `${labelOf(target, cards)} ${arithmetic(change)}`;
    case 'file':
      return `${target} from ${change.to}`;
    case 'cell':
      return `${target} of ${(key ?? []).join(', ')} ${arithmetic(change)}`;
    case 'column':
      return `${target} ${arithmetic(change)}${where === undefined ? '' : ` where ${where}`}`;
    case 'value':
    case 'bound':
      return `${target} ${arithmetic(change)}`;
  }
}

const labelOf = (target: string, cards: readonly Card[]): string =>
  cards.find(({ id }) => id === target)?.label ?? target;

/** Describes the adjustment of a column in words. */
export function adjustmentInWords(adjustment: Adjustment): string {
  const { column, where, key } = adjustment;
  const of = key === undefined ? '' : ` of ${key.join(', ')}`;
  return `${column}${of} ${arithmetic(adjustment)}${where === undefined ? '' : ` where ${where}`}`;
}

function arithmetic({ times, plus, to }: Pick<Change, 'times' | 'plus' | 'to'>): string {
  if (times !== undefined) return `× ${formatFigure(times)}`;
  if (plus !== undefined) return plus < 0 ? `− ${formatFigure(-plus)}` : `+ ${formatFigure(plus)}`;
  return `= ${typeof to === 'number' ? formatFigure(to) : (to ?? '')}`;
}
