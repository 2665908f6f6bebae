import { PageQuery } from '../common/listing/page.query.js';
import { PageResponse } from '../common/listing/page.response.js';
import {
  BooleanField,
  EnumField,
  FreeObjectField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import type { Adjustment, ModelCard } from '../../packages/canvas/index.js';
import { type Phase, PHASES } from './execution-log.entity.js';

/** Maximum number of members that the service reads at a time. */
export const MEMBER_PAGE = 10_000;

/** Query for a page of a variable's values. */
export class RunValuesQuery extends PageQuery {
  @StringField({ maxLength: 1_024, description: 'Name of a variable', example: 'make' })
  family!: string;

  @BooleanField({ default: false, description: 'Whether to omit zero values' })
  nonzero!: boolean;
}

/** Value of a variable or of a member of an indexed variable. */
export class RunValue {
  @StringArrayField({ description: 'Key parts of the member; empty for a variable without an index' })
  keys!: string[];

  @NumberField()
  value!: number;

  @NumberField({
    nullable: true,
    description:
      'Change in the objective per additional unit of the variable, if the variable is at one of its bounds. Null ' +
      'unless the model is a linear program',
  })
  reduced_cost!: number | null;
}

/** Values of a variable, in the order of its set. */
export class RunValuesResponse extends PageResponse {
  @ObjectArrayField(() => RunValue)
  values!: RunValue[];
}

/** Change that a scenario makes to the numbers of a column after they are read. */
export class RunAdjustment {
  @StringField()
  column!: string;

  @StringField({
    optional: true,
    description: 'Condition on the members. If absent, the change applies to the member in `key`, or to all members',
  })
  where?: string;

  @StringArrayField({ optional: true, description: 'Key parts of the changed member' })
  key?: string[];

  @NumberField({ optional: true, description: 'Factor to multiply the number by' })
  times?: number;

  @NumberField({ optional: true, description: 'Amount to add to the number' })
  plus?: number;

  @NumberField({ optional: true, description: 'New number' })
  to?: number;

  static from({ column, where, key, times, plus, to }: Adjustment): RunAdjustment {
    return {
      column,
      ...(where !== undefined && { where }),
      ...(key !== undefined && { key: [...key] }),
      ...(times !== undefined && { times }),
      ...(plus !== undefined && { plus }),
      ...(to !== undefined && { to }),
    };
  }
}

/** Card as it was when a run solved it. */
export class RunCard {
  @StringField()
  id!: string;

  @StringField()
  card_type!: string;

  @StringField()
  label!: string;

  @FreeObjectField()
  data!: Record<string, unknown>;

  @ObjectArrayField(() => RunAdjustment, {
    optional: true,
    description:
      'Changes that the scenario makes to a data card’s columns, in the order in which they are applied. Absent if ' +
      'there are no such changes',
  })
  adjustments?: RunAdjustment[];

  static from({ id, card_type, label, data, adjustments }: ModelCard): RunCard {
    const changed = adjustments?.map((one) => RunAdjustment.from(one));
    return { id, card_type, label, data, ...(changed !== undefined && { adjustments: changed }) };
  }
}

/** Cards that a run solved. */
export class RunCardsResponse {
  @ObjectArrayField(() => RunCard, {
    nullable: true,
    description: 'Cards of the model and its KPIs; null if a model file was solved, or if the cards were not stored',
  })
  cards!: RunCard[] | null;

  static from(cards: readonly ModelCard[] | null): RunCardsResponse {
    return { cards: cards?.map((card) => RunCard.from(card)) ?? null };
  }
}

export class RunLogResponse {
  @StringArrayField({ description: 'The last 200 lines' })
  lines!: string[];
}

export class RunProgress {
  @EnumField(PHASES)
  phase!: Phase;

  @NumberField({ description: 'Seconds since the attempt began' })
  seconds!: number;

  @NumberField({ nullable: true, description: 'Objective of the best plan found so far' })
  incumbent!: number | null;

  @NumberField({ nullable: true, description: 'Best objective that is still possible' })
  bound!: number | null;

  @NumberField({ nullable: true, description: 'Gap between incumbent and bound, relative to the incumbent' })
  gap!: number | null;

  @IntegerField({ description: 'Number of explored branch-and-bound nodes' })
  nodes!: number;
}
