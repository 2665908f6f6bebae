import { Injectable } from '@nestjs/common';
import type { EndedRun } from '../executions/executions.repository.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { type Difference, MemberDifferencesRepository, SAME } from '../executions/member-differences.repository.js';
import { Invalid, invalidValue } from '../platform/errors/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Scenario } from './scenario.entity.js';
import type { ComparedKpi, ComparedRun, ScenarioComparisonResponse } from './scenario-comparison.dto.js';
import { ScenariosRepository } from './scenarios.repository.js';

/** Variables and members of variables that are told to differ. */
const MAX_DIFFERING = 100;
/** What the canvas itself is called among scenarios. */
const BASE = 'base';

/** What scenarios have come to, side by side. */
@Injectable()
export class ScenarioComparison {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly scenarios: ScenariosRepository,
    private readonly executions: ExecutionsService,
    private readonly members: MemberDifferencesRepository,
  ) {}

  /**
   * The newest run of each scenario that has ended, beside that of the canvas.
   *
   * @param ids null for all, oldest first
   * @throws NotFound @throws Invalid at `ids` @throws what {@link MemberDifferencesRepository.between} throws
   */
  async compare(
    company_id: string,
    projectId: string,
    ids: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<ScenarioComparisonResponse> {
    const { id: project_id } = await this.projects.require(company_id, projectId);
    const all = await this.scenarios.all(project_id);
    const scenarios = ids === null ? all : ids.map((id) => called(all, id));
    const runs = await this.executions.newestEnded(
      project_id,
      scenarios.map(({ id }) => id),
    );
    const base = runs.find(({ scenario_id }) => scenario_id === null);
    const ofScenarios = new Map(runs.map((run) => [run.scenario_id, run]));
    return {
      base: base === undefined ? null : shown(base),
      scenarios: scenarios.map((scenario) => beside(scenario, ofScenarios.get(scenario.id), base)),
      differing: await this.differing(company_id, runs, signal),
    };
  }

  private async differing(company_id: string, runs: readonly EndedRun[], signal: AbortSignal): Promise<Difference[]> {
    const plans = runs.filter(({ objective_value }) => objective_value !== null);
    const kept = plans.flatMap((run) =>
      run.outputs_id === null ? [] : [{ name: nameOf(run), outputs_id: run.outputs_id }],
    );
    const ofMembers = await this.members.between(company_id, kept, MAX_DIFFERING, signal);
    return [...scalarDifferences(plans), ...ofMembers]
      .sort((one, other) => spread(other, plans.length) - spread(one, plans.length))
      .slice(0, MAX_DIFFERING);
  }
}

function called(all: readonly Scenario[], id: string): Scenario {
  const found = all.find((one) => one.id === id.toLowerCase());
  if (found === undefined) throw new Invalid([invalidValue(['query', 'ids'], 'the project has no such scenario', id)]);
  return found;
}

const nameOf = ({ scenario_id }: EndedRun): string => scenario_id ?? BASE;

const shown = ({ id, status, outcome, objective_value, kpis, ended_at }: EndedRun) => ({
  execution_id: id,
  status: outcome ?? status,
  objective_value,
  ended_at,
  kpis: (kpis ?? []).map(({ label, value }) => ({ label, value })),
});

function beside({ id, name }: Scenario, run: EndedRun | undefined, base: EndedRun | undefined): ComparedRun {
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
  const { kpis, ...told } = shown(run);
  return {
    ...of,
    ...told,
    difference: difference(run.objective_value, base?.objective_value),
    kpis: kpis.map(({ label, value }): ComparedKpi => {
      const other = base?.kpis?.find((kpi) => kpi.label === label)?.value;
      return { label, value, difference: difference(value, other) };
    }),
  };
}

const difference = (value: number | null, other: number | null | undefined): number | null =>
  value === null || other == null ? null : value - other;

/** Variables without an index that are not the same in all plans. */
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

/** Distance between the largest and the smallest value; what a run does not have counts as 0. */
function spread({ values }: Difference, runs: number): number {
  const figures = Object.values(values);
  if (figures.length < runs) figures.push(0);
  return Math.max(...figures) - Math.min(...figures);
}
