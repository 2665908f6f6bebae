import { Injectable } from '@nestjs/common';
import { ExecutionRecordsService } from '../executions/execution-records.service.js';
import type { EndedRun } from '../executions/execution-views.repository.js';
import { type Difference, MemberDifferencesRepository, SAME } from '../executions/member-differences.repository.js';
import { roundedAt } from '../../packages/solver/index.js';
import { Invalid, invalidValue } from '../common/errors/errors.js';
import { entityTag, type ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ProjectReader } from '../projects/project-access.js';
import type { Scenario } from './scenario.entity.js';
import {
  byLabel,
  type ComparedKpi,
  type ComparedRun,
  type ScenarioComparisonResponse,
} from './scenario-comparison.dto.js';
import { ScenariosRepository } from './scenarios.repository.js';

/** Maximum number of differing variables and members in a comparison. */
const MAX_DIFFERING = 100;
/** Name of the canvas in a comparison. The names of the scenarios are their ids. */
const BASE = 'base';

/** Compares the results of scenarios. */
@Injectable()
export class ScenarioComparisonService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly scenarios: ScenariosRepository,
    private readonly executions: ExecutionRecordsService,
    private readonly members: MemberDifferencesRepository,
  ) {}

  /**
   * Compares the newest ended run of each scenario with the newest ended run of the canvas.
   *
   * @param ids null for all scenarios, oldest first; duplicates count once
   * @throws NotFound
   * @throws Invalid with the location `ids`
   * @throws the errors of {@link MemberDifferencesRepository.between}
   */
  async compare(
    reader: ProjectReader,
    projectId: string,
    ids: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<ScenarioComparisonResponse> {
    return await this.compareNewest(reader, await this.newest(reader, projectId, ids), signal);
  }

  /** Compares scenarios like {@link compare}, unless the caller already has the current comparison. */
  async compareTagged(
    reader: ProjectReader,
    projectId: string,
    ids: readonly string[] | null,
    clientTags: ClientTags,
    signal: AbortSignal,
  ): Promise<Tagged<ScenarioComparisonResponse>> {
    const newest = await this.newest(reader, projectId, ids);
    // Results of ended runs never change.
    const tag = entityTag('comparison', JSON.stringify([newest.scenarios, newest.runs.map(({ id }) => id)]));
    if (clientTags.has(tag)) return Tagged.unchanged(tag);
    return Tagged.of(tag, await this.compareNewest(reader, newest, signal));
  }

  private async newest(reader: ProjectReader, projectId: string, ids: readonly string[] | null): Promise<Newest> {
    const { id: project_id } = await this.projects.require(reader, projectId);
    const all = await this.scenarios.names(project_id);
    const scenarios = ids === null ? all : [...new Set(ids.map((id) => scenarioById(all, id)))];
    const runs = await this.executions.newestEnded(
      project_id,
      scenarios.map(({ id }) => id),
    );
    return { scenarios, runs };
  }

  private async compareNewest(
    { company_id }: ProjectReader,
    { scenarios, runs }: Newest,
    signal: AbortSignal,
  ): Promise<ScenarioComparisonResponse> {
    const base = runs.find(({ scenario_id }) => scenario_id === null);
    const ofScenarios = new Map(runs.map((run) => [run.scenario_id, run]));
    return {
      base: base === undefined ? null : summaryOf(base),
      scenarios: scenarios.map((scenario) => toComparedRun(scenario, ofScenarios.get(scenario.id), base)),
      differing: await this.differing(company_id, runs, signal),
    };
  }

  private async differing(company_id: string, runs: readonly EndedRun[], signal: AbortSignal): Promise<Difference[]> {
    const plans = runs.filter(({ objective_value }) => objective_value !== null);
    const storedRuns = plans.flatMap((run) =>
      run.outputs_id === null ? [] : [{ name: nameOf(run), outputs_id: run.outputs_id }],
    );
    // In a plan without indexed variables, every member counts as 0. If the members of a plan were not stored because storage
    // was full, they are not compared.
    const without = plans.filter(({ outputs_id, families }) => outputs_id === null && (families ?? []).length === 0);
    const ofMembers = await this.members.between(company_id, storedRuns, without.length, MAX_DIFFERING, signal);
    return [...scalarDifferences(plans), ...ofMembers]
      .sort((one, other) => spread(other, plans.length) - spread(one, plans.length))
      .slice(0, MAX_DIFFERING);
  }
}

type ScenarioName = Pick<Scenario, 'id' | 'name'>;

/** Newest runs of the scenarios and of the canvas. */
interface Newest {
  scenarios: ScenarioName[];
  runs: EndedRun[];
}

function scenarioById(all: readonly ScenarioName[], id: string): ScenarioName {
  const scenario = all.find((one) => one.id === id.toLowerCase());
  if (scenario === undefined)
    throw new Invalid([invalidValue(['query', 'ids'], 'the project has no such scenario', id)]);
  return scenario;
}

const nameOf = ({ scenario_id }: EndedRun): string => scenario_id ?? BASE;

const summaryOf = ({ id, status, outcome, objective_value, kpis, ended_at }: EndedRun) => ({
  execution_id: id,
  status: outcome ?? status,
  objective_value,
  ended_at,
  kpis: (kpis ?? []).map(({ label, value }) => ({ label, value })),
});

function toComparedRun({ id, name }: ScenarioName, run: EndedRun | undefined, base: EndedRun | undefined): ComparedRun {
  const of = { scenario_id: id, name };
  if (run === undefined)
    return {
      ...of,
      execution_id: null,
      status: null,
      objective_value: null,
      difference: null,
      ended_at: null,
      kpis: [],
    };
  const { kpis, ...summary } = summaryOf(run);
  return {
    ...of,
    ...summary,
    difference: difference(run.objective_value, base?.objective_value),
    kpis: compareKpis(kpis, base?.kpis ?? []),
  };
}

/**
 * Several KPIs may have the same label. If both runs have the same number of KPIs with that label, the KPIs are compared in
 * order.
 */
function compareKpis(kpis: readonly Kpi[], baseKpis: readonly Kpi[]): ComparedKpi[] {
  const own = byLabel(kpis);
  const others = byLabel(baseKpis);
  return kpis.map((kpi): ComparedKpi => {
    const { label, value } = kpi;
    const [same = [], baseGroup = []] = [own.get(label), others.get(label)];
    const other = same.length === baseGroup.length ? baseGroup[same.indexOf(kpi)]?.value : undefined;
    return { label, value, difference: difference(value, other) };
  });
}

type Kpi = Pick<ComparedKpi, 'label' | 'value'>;

const difference = (value: number | null, other: number | null | undefined): number | null =>
  value === null || other == null ? null : roundedAt(value - other, Math.max(Math.abs(value), Math.abs(other)));

/** Returns the variables without an index whose values differ between plans. */
function scalarDifferences(plans: readonly EndedRun[]): Difference[] {
  const indexed = new Set(plans.flatMap(({ families }) => (families ?? []).map(({ name }) => name)));
  const names = new Set(plans.flatMap(({ variables }) => Object.keys(variables ?? {})));
  return [...names].flatMap((family): Difference[] => {
    if (indexed.has(family)) return [];
    const values = Object.fromEntries(
      plans.flatMap((run) =>
        Object.hasOwn(run.variables ?? {}, family) ? [[nameOf(run), run.variables![family]!]] : [],
      ),
    ) as Record<string, number>;
    const one: Difference = { family, keys: [], values };
    const size = Math.max(1, ...Object.values(values).map(Math.abs));
    return spread(one, plans.length) > SAME * size ? [one] : [];
  });
}

/** Returns the difference between the largest and the smallest value. A missing value counts as 0. */
function spread({ values }: Difference, runs: number): number {
  const figures = Object.values(values);
  if (figures.length < runs) figures.push(0);
  return Math.max(...figures) - Math.min(...figures);
}
