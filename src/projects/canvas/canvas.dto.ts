import {
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  ObjectArrayField,
  StringField,
} from '../../common/validation/fields.js';
import { FEASIBILITY_RESULTS, OVERALL_RESULTS, type Project } from '../project.entity.js';
import { Tagged } from '../../common/etag/tagged.js';
import { type Card, CARD_STATUSES, CARD_TYPES } from './card.entity.js';
import { cardTag, type ShownCard } from './cards.repository.js';

const DATA = [
  'Content of the card, by type. Other keys are stored but ignored; null counts as absent.',
  '`objective`: `sense` (`maximize`, `minimize`), `expression`, `weight`, `confirmed`, `description`.',
  '`variable`: `name`, `index` (`p in products`: one for each member), `domain` (`continuous`, `integer`, `binary`; else ' +
    '`continuous`), `lower` ' +
    '(else 0, or none if `free`), `upper` (numbers; with an index also formulas of what is known), `free`, `unit`, ' +
    '`description`.',
  '`constraint`: `expression`, `index`, `classification` (`hard`, `soft`), `penalty`, `description`.',
  '`kpi`: `description`, `expression`, `unit`, `target`.',
  '`data`: `file_path`, `values` (numbers by name) or `in_formulas` (all numbers are in the formulas), ' +
    '`description`; a set: `set` (its name), `members` (a list, or a range such as `1 to 52`), and in `values` numbers or ' +
    'texts by name and member; or, in the file of `file_path`, its `sheet`, `dialect` (how to read it, as in `POST /files/table`), `key` (the columns that tell members apart) or ' +
    '`column` (the one whose different values are the members), `columns` (columns of the file by other names) and `default` ' +
    '(for figures that are missing).',
  '`production_requirement`, met by every plan as a hard constraint: `expression` (a relation) with `index`, or `description` ' +
    'where that is a relation, or `quantity` and `product` (the name of a variable without an index: at least so much of it), ' +
    '`unit`. A `quantity` of 0 without `product` says that there are none.',
].join(' ');

/** What a card still lacks. */
export class GapInfo {
  @StringField()
  field!: string;

  @StringField()
  message!: string;

  @StringField({ description: '`blocking`, `warning` or `info`', example: 'blocking' })
  severity!: string;
}

/** A card of a project's canvas. */
export class CardResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({
    description: '`objective`, `variable`, `constraint`, `kpi`, `data` or `production_requirement`',
    example: 'objective',
  })
  card_type!: string;

  @StringField({ example: 'Profit' })
  label!: string;

  @EnumField(CARD_STATUSES, { schemaName: 'CardStatus' })
  status!: (typeof CARD_STATUSES)[number];

  @IntegerField({ description: 'Starts at 1, increases with every change' })
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

/** Most bytes of `data` and of `instance_data`, each, as JSON. */
const MAX_DATA_BYTES = 32 * 1024;
/** Most keys of each. */
const MAX_KEYS = 1_000;
export const MAX_LABEL_LENGTH = 200;

/** The reason why an object is too large for a card, in words without a full stop. */
export const dataProblem = (data: Record<string, unknown>): string | undefined =>
  Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES
    ? `the JSON text must have at most ${MAX_DATA_BYTES} bytes`
    : undefined;

/** A new card. What it lacks is told in its `gaps`. */
export class CardCreateRequest {
  @EnumField(CARD_TYPES, { example: 'objective' })
  card_type!: (typeof CARD_TYPES)[number];

  @StringField({ minLength: 1, maxLength: MAX_LABEL_LENGTH, example: 'Profit' })
  label!: string;

  @FreeObjectField({
    optional: true,
    maxProperties: MAX_KEYS,
    check: dataProblem,
    description: DATA,
    example: { sense: 'maximize', expression: '3x + 2y' },
  })
  data?: Record<string, unknown>;

  @FreeObjectField({
    optional: true,
    maxProperties: MAX_KEYS,
    check: dataProblem,
    description: 'Client data stored with the card, ignored by the service',
  })
  instance_data?: Record<string, unknown>;
}

/** What to change of a card. Absent fields stay as they are. */
export class CardUpdateRequest {
  @IntegerField({ minimum: 1, description: 'Version that the change is based on' })
  version!: number;

  @StringField({ optional: true, minLength: 1, maxLength: MAX_LABEL_LENGTH })
  label?: string;

  @FreeObjectField({
    optional: true,
    maxProperties: MAX_KEYS,
    check: dataProblem,
    description: 'Keys to set; null removes a key, others are unchanged',
  })
  data?: Record<string, unknown>;

  @FreeObjectField({
    optional: true,
    maxProperties: MAX_KEYS,
    check: dataProblem,
    description: 'Keys to set; null removes a key, others are unchanged',
  })
  instance_data?: Record<string, unknown>;
}

/** All cards of a project, oldest first. */
export class CardListResponse {
  @ObjectArrayField(() => CardResponse)
  cards!: CardResponse[];

  static from(cards: ShownCard[]): CardListResponse {
    return { cards: cards.map((card) => CardResponse.from(card)) };
  }
}

/** The checklist that a model has to meet. */
export class CompletenessResponse {
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
    description: 'Outcome of the last non-test solve of the canvas; `unchecked` again once its model changes',
  })
  feasibility_result!: (typeof FEASIBILITY_RESULTS)[number];

  @EnumField(OVERALL_RESULTS, { default: 'incomplete', description: '`complete` when everything above holds' })
  overall!: (typeof OVERALL_RESULTS)[number];

  static from(project: Pick<Project, keyof CompletenessResponse>): CompletenessResponse {
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
