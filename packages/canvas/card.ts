import type { CardType } from './kinds/card-kinds.js';

export const CARD_STATUSES = ['draft', 'needs_input', 'complete'] as const;

/** Maximum length of a card label in characters. */
export const MAX_LABEL_LENGTH = 200;

/** Card content written by people and agents. All other card properties are derived from it. */
export interface CardContent {
  id: string;
  card_type: CardType;
  label: string;
  data: Record<string, unknown>;
}

/** Missing or invalid field of a card. */
export interface Gap {
  field: string;
  message: string;
  severity: 'blocking' | 'warning' | 'info';
}

/** Card properties derived from the canvas. */
export interface Judgement {
  status: (typeof CARD_STATUSES)[number];
  gaps: Gap[];
}
