import { CsvText } from '../common/http/csv-text.js';
import {
  DateTimeField,
  NumberMapField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';

const STATUS =
  '`optimal`, `time_limit`, `infeasible` or `unbounded` if the solver found an answer, otherwise `failed`; null if the scenario was never solved';

/** Selection of scenarios to compare. */
export class ScenarioComparisonQuery {
  @StringField({
    optional: true,
    maxLength: 4_000,
    description: 'Comma-separated scenario ids, in the order of the response. Default: all scenarios, oldest first',
  })
  ids?: string;

  /** Returns the individual ids, or null for all scenarios. */
  static idsIn({ ids }: ScenarioComparisonQuery): string[] | null {
    if (ids === undefined) return null;
    return ids.split(',').map((id) => id.trim());
  }
}

/** KPI of the canvas plan. */
export class BaseKpi {
  @StringField()
  label!: string;

  @NumberField({ nullable: true })
  value!: number | null;
}

/** KPI with its difference from the canvas. */
export class ComparedKpi extends BaseKpi {
  @NumberField({ nullable: true, description: 'Difference from the KPI’s value in the canvas run' })
  difference!: number | null;
}

/** Newest run of the unchanged canvas. */
export class BaseRun {
  @StringField()
  execution_id!: string;

  @StringField({ description: STATUS, example: 'optimal' })
  status!: string;

  @NumberField({ nullable: true })
  objective_value!: number | null;

  @DateTimeField({ nullable: true })
  ended_at!: Date | null;

  @ObjectArrayField(() => BaseKpi)
  kpis!: BaseKpi[];
}

/** Newest run of a scenario. */
export class ComparedRun {
  @StringField()
  scenario_id!: string;

  @StringField({ example: 'Two shifts' })
  name!: string;

  @StringField({ nullable: true })
  execution_id!: string | null;

  @StringField({ nullable: true, description: STATUS, example: 'optimal' })
  status!: string | null;

  @NumberField({ nullable: true })
  objective_value!: number | null;

  @NumberField({ nullable: true, description: 'Difference from the canvas run’s objective' })
  difference!: number | null;

  @DateTimeField({ nullable: true })
  ended_at!: Date | null;

  @ObjectArrayField(() => ComparedKpi)
  kpis!: ComparedKpi[];
}

/** Variable, or member of an indexed variable, whose value differs between plans. */
export class DifferingValue {
  @StringField({ description: 'Name of the variable', example: 'make' })
  family!: string;

  @StringArrayField({ description: 'Key parts of the member; empty for a variable without an index' })
  keys!: string[];

  @NumberMapField({
    description: 'Values by `base` or scenario id. Plans without this variable or member are omitted',
    example: { base: 10 },
  })
  values!: Record<string, number>;
}

export class ScenarioComparisonResponse {
  @ObjectField(() => BaseRun, { nullable: true, description: 'Null if the canvas was never solved' })
  base!: BaseRun | null;

  @ObjectArrayField(() => ComparedRun)
  scenarios!: ComparedRun[];

  @ObjectArrayField(() => DifferingValue, {
    description: 'At most 100 variables or members, largest difference first. A missing value counts as 0',
  })
  differing!: DifferingValue[];

  /** Returns a CSV line for the canvas and for each scenario. */
  static csv({ base, scenarios }: ScenarioComparisonResponse): CsvText {
    const first = base === null ? [] : [{ ...base, name: 'base', difference: null, kpis: base.kpis as ComparedKpi[] }];
    const lines = [...first, ...scenarios].map((line) => ({ ...line, kpis: byLabel(line.kpis) }));
    const most = new Map<string, number>();
    for (const { kpis } of lines)
      for (const [label, { length }] of kpis) most.set(label, Math.max(most.get(label) ?? 0, length));
    const columns = [...most].flatMap(([label, count]) => Array.from({ length: count }, (_, at) => ({ label, at })));
    const titles = ['scenario', 'status', 'objective_value', 'difference'];
    const rows = lines.map(({ name, status, objective_value, difference, kpis }) => [
      name,
      status,
      objective_value,
      difference,
      ...columns.flatMap(({ label, at }) => {
        const kpi = kpis.get(label)?.[at];
        return [kpi?.value ?? null, kpi?.difference ?? null];
      }),
    ]);
    return new CsvText([[...titles, ...columns.flatMap(({ label }) => [label, `${label} difference`])], ...rows]);
  }
}

/** Groups KPIs by label and keeps their order. Several cards may have the same label. */
export function byLabel<Kpi extends { label: string }>(kpis: readonly Kpi[]): Map<string, Kpi[]> {
  const groups = new Map<string, Kpi[]>();
  for (const kpi of kpis) {
    const group = groups.get(kpi.label);
    if (group === undefined) groups.set(kpi.label, [kpi]);
    else group.push(kpi);
  }
  return groups;
}
