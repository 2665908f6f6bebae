import type { CardType } from './kinds/card-kinds.js';

export const CARD_STATUSES = ['draft', 'needs_input', 'complete'] as const;

/** Maximum number of characters of a card's label. */
export const MAX_LABEL_LENGTH = 200;

/** The part of a card that people and agents write. Everything else is derived from it. */
export interface CardContent {
  id: string;
  card_type: CardType;
  label: string;
  data: Record<string, unknown>;
}

/** Something that a card lacks. */
export interface Gap {
  field: string;
  message: string;
  severity: 'blocking' | 'warning' | 'info';
}

/** The part of a card that is derived from the canvas. */
export interface Judgement {
  status: (typeof CARD_STATUSES)[number];
  gaps: Gap[];
}
