import type { CardKind } from './card-kind.js';
import { constraint } from './constraint.js';
import { data } from './data.js';
import { kpi } from './kpi.js';
import { objective } from './objective.js';
import { production_requirement } from './production-requirement.js';
import { variable } from './variable.js';

/** Card types, in the order of the checklist. */
export const CARD_TYPES = ['objective', 'variable', 'constraint', 'kpi', 'data', 'production_requirement'] as const;
export type CardType = (typeof CARD_TYPES)[number];

export const CARD_KINDS: Readonly<Record<CardType, CardKind>> = {
  objective,
  variable,
  constraint,
  kpi,
  data,
  production_requirement,
};
