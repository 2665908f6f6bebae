import {
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  ObjectArrayField,
  StringField,
} from '../../common/validation/fields.js';
import { Tagged } from '../../common/etag/tagged.js';
import {
  CARD_KINDS,
  CARD_STATUSES,
  CARD_TYPES,
  type CardType,
  type Checklist,
  FEASIBILITY_RESULTS,
  MAX_LABEL_LENGTH,
  OVERALL_RESULTS,
} from '../../../packages/canvas/index.js';
import type { Card } from './card.entity.js';
import { cardTag, type ShownCard } from './cards.repository.js';

const DATA = [
  'Content of the card, by type. Other keys are stored but ignored; null counts as absent.',
  ...CARD_TYPES.map((type) => CARD_KINDS[type].description),
].join(' ');

/** Problem in a field of a card. */
export class GapInfo {
  @StringField()
  field!: string;

  @StringField()
  message!: string;

  @StringField({ description: '`blocking`, `warning` or `info`', example: 'blocking' })
  severity!: string;
}

/** Card on a project's canvas. */
export class CardResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({
    description: new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(CARD_TYPES.map((type) => `\`${type}\``)),
    example: 'objective',
  })
  card_type!: string;

  @StringField({ example: 'Profit' })
  label!: string;

  @EnumField(CARD_STATUSES, { schemaName: 'CardStatus' })
  status!: (typeof CARD_STATUSES)[number];

  @IntegerField({ description: 'Starts at 1 and increases with every change' })
  version!: number;

  @FreeObjectField()
  data!: Record<string, unknown>;

  @ObjectArrayField(() => GapInfo)
  gaps!: GapInfo[];

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  @FreeObjectField({ optional: true })
  instance_data!: Record<string, unknown>;

  static tagged(card: Card): Tagged<CardResponse> {
    return Tagged.of(cardTag(card), CardResponse.from(card));
  }

  static from(card: ShownCard): CardResponse {
    const { id, project_id, card_type, label, status, version, data, gaps, created_at, updated_at, instance_data } =
      card;
    return { id, project_id, card_type, label, status, version, data, gaps, created_at, updated_at, instance_data };
  }
}

/** Maximum size of `data` and of `instance_data`, each in bytes of JSON. */
const MAX_DATA_BYTES = 32 * 1024;
/** Maximum number of keys in `data` and in `instance_data`. */
const MAX_KEYS = 1_000;

/** Returns the reason why an object is too large for a card, as a phrase without a full stop. */
export const dataProblem = (data: Record<string, unknown>): string | undefined =>
  Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES
    ? `the JSON text must have at most ${MAX_DATA_BYTES} bytes`
    : undefined;

const KEYS = { optional: true, maxProperties: MAX_KEYS, check: dataProblem } as const;

/** Request to create a card. The response lists missing information as `gaps`. */
export class CardCreateRequest {
  @EnumField(CARD_TYPES, { example: 'objective' })
  card_type!: CardType;

  @StringField({ minLength: 1, maxLength: MAX_LABEL_LENGTH, example: 'Profit' })
  label!: string;

  @FreeObjectField({
    ...KEYS,
    description: DATA,
    example: { sense: 'maximize', expression: '3x + 2y' },
  })
  data?: Record<string, unknown>;

  @FreeObjectField({
    ...KEYS,
    description: 'Client data stored with the card, ignored by the service',
  })
  instance_data?: Record<string, unknown>;
}

const CHANGED_KEYS = { ...KEYS, description: 'Keys to set; null removes a key, and all other keys are unchanged' };

/** Change to a card. Absent fields are unchanged. */
export class CardUpdateRequest {
  @IntegerField({ minimum: 1, description: 'Version that the change is based on' })
  version!: number;

  @StringField({ optional: true, minLength: 1, maxLength: MAX_LABEL_LENGTH })
  label?: string;

  @FreeObjectField(CHANGED_KEYS)
  data?: Record<string, unknown>;

  @FreeObjectField(CHANGED_KEYS)
  instance_data?: Record<string, unknown>;
}

/** All cards in a project, oldest first. */
export class CardListResponse {
  @ObjectArrayField(() => CardResponse)
  cards!: CardResponse[];

  static from(cards: ShownCard[]): CardListResponse {
    return { cards: cards.map((card) => CardResponse.from(card)) };
  }
}

/** Completeness checklist for a model. */
export class CompletenessResponse implements Checklist {
  @BooleanField({ default: false, description: 'Every constraint is classified as hard or soft' })
  all_constraints_classified!: boolean;

  @BooleanField({ default: false })
  all_variables_provided!: boolean;

  @BooleanField({ default: false })
  data_available!: boolean;

  @BooleanField({ default: false })
  kpis_defined!: boolean;

  @BooleanField({ default: false })
  objective_drafted!: boolean;

  @BooleanField({ default: false })
  objectives_defined!: boolean;

  @BooleanField({ default: false })
  production_requirements_defined!: boolean;

  @EnumField(FEASIBILITY_RESULTS, {
    default: 'unchecked',
    description: 'Outcome of the last non-test solve of the canvas. Reset to `unchecked` when the model changes',
  })
  feasibility_result!: Checklist['feasibility_result'];

  @EnumField(OVERALL_RESULTS, { default: 'incomplete', description: '`complete` if all conditions above are met' })
  overall!: Checklist['overall'];

  static from(project: Checklist): CompletenessResponse {
    return {
      all_constraints_classified: project.all_constraints_classified,
      all_variables_provided: project.all_variables_provided,
      data_available: project.data_available,
      kpis_defined: project.kpis_defined,
      objective_drafted: project.objective_drafted,
      objectives_defined: project.objectives_defined,
      production_requirements_defined: project.production_requirements_defined,
      feasibility_result: project.feasibility_result,
      overall: project.overall,
    };
  }
}
