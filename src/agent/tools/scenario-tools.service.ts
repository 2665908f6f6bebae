import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ScenarioRun, ComparisonResult } from '../../../packages/guide/index.js';
import type { ProjectId } from '../../database/checked-id.js';
import type { ExecutionRecord } from '../../executions/execution-views.repository.js';
import type { EndedExecutionRecord } from '../../executions/execution-records.service.js';
import { listNames } from '../../../packages/modelling/index.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { CardsRepository } from '../../projects/canvas/cards.repository.js';
import { ProjectReader } from '../../projects/project-access.js';
import {
  type Change,
  CHANGE_KINDS,
  MAX_CHANGES,
  MAX_SCENARIO_NAME_LENGTH,
  withOtherFiles,
} from '../../../packages/canvas/index.js';
import type { Scenario } from '../../scenarios/scenario.entity.js';
import { ScenarioComparisonService } from '../../scenarios/scenario-comparison.service.js';
import { ScenarioSolvesService, ScenariosDoNotFit } from '../../scenarios/scenario-solves.service.js';
import { changesProblem, ScenarioChange } from '../../scenarios/scenarios.dto.js';
import { ScenariosRepository } from '../../scenarios/scenarios.repository.js';
import { ScenariosService, ChangesDoNotFit } from '../../scenarios/scenarios.service.js';
import type { AgentContext } from '../agent.js';
import { CardFilesService } from './card-files.service.js';
import { refusing } from './problem.js';
import { type Tool, ToolFailure, type ToolOutcome } from './tool.js';
import { MAX_SOLVES, TurnSolvesService } from './turn-solves.service.js';

const text = z.string().min(1).max(1_024);
const figure = z.number();
const change = z.strictObject({
  kind: z.enum(CHANGE_KINDS),
  target: text.describe(
    'Name of a value or column; x.lower or x.upper; a relation to add; label or id of a constraint or another card; name of a set',
  ),
  where: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Only for column: condition on the members, such as region = "north" and price > 10'),
  key: z
    .array(z.union([text, figure]))
    .max(5)
    .optional()
    .describe('Only for cell: the key parts of its member'),
  times: figure.optional(),
  plus: figure.optional(),
  to: z.union([figure, text]).optional().describe('New number; for file, the path of the file'),
});
const name = z.string().min(1).max(MAX_SCENARIO_NAME_LENGTH);
const upsertInput = z.strictObject({
  name: name.describe('Scenario to change; a new name creates a scenario'),
  new_name: name.optional(),
  description: z.string().max(20_000).nullable().optional(),
  changes: z
    .array(change)
    .max(MAX_CHANGES)
    .optional()
    .superRefine(refusing((changes) => changes && changesProblem(changes as Change[])))
    .describe('Applied in this order'),
  append: z
    .boolean()
    .default(false)
    .describe('Whether to add `changes` after the existing changes instead of replacing them'),
});
const removeInput = z.strictObject({ name });
const solveInput = z.strictObject({
  names: z.array(name).min(1).max(100).optional().describe('Default: all scenarios'),
  include_base: z.boolean().default(true).describe('Whether to also solve the unchanged canvas'),
  is_test: z.boolean().default(false).describe('Whether to leave the checklist unchanged'),
});

const compareInput = z.strictObject({
  names: z.array(name).min(1).max(100).optional().describe('Default: all scenarios'),
});
/** Maximum number of differing variables reported to the agent. */
const MAX_DIFFERING = 30;

type Upsert = z.infer<typeof upsertInput>;

/** Tools for scenarios, which show the effects of changes to the canvas. */
@Injectable()
export class ScenarioToolsService {
  readonly upsert: Tool<Upsert> = {
    name: 'upsert_scenario',
    description: [
      'Creates or changes a scenario: named changes that do not affect the canvas itself. Use it for what-if questions, then call solve_scenarios.',
      'Kinds of changes: value (a scalar of a data card), bound (x.lower or x.upper of a variable), limit (the side of a constraint without variables, by its label), column (numbers over a set, for all members or those that match `where`), cell (a single one of these numbers, by `key`), each with exactly one of times, plus and to;',
      'off (leaves out a constraint, objective, KPI or production requirement); file (reads a set from another file, with its path in `to`); add (adds the relation in `target` as a hard constraint).',
      'In `where`, refer to columns of the same set and of its key by name: region = "north" and price > 10.',
    ].join(' '),
    input: upsertInput,
    run: async (input, context) => {
      await this.readFiles(input, context);
      return { effect: async (tx, project) => await this.upsertScenario(tx, project, input) };
    },
  };

  readonly remove: Tool<z.infer<typeof removeInput>> = {
    name: 'remove_scenario',
    description: 'Deletes a scenario.',
    input: removeInput,
    run: ({ name: title }) =>
      Promise.resolve({
        effect: async (tx, { id }) => {
          const scenario = await this.require(tx, id, title);
          await this.scenarios.remove(tx, scenario);
          return { result: { name: scenario.name } };
        },
      }),
  };

  readonly list: Tool<Record<string, never>> = {
    name: 'list_scenarios',
    description: 'Lists the scenarios of the project with their changes, oldest first.',
    input: z.strictObject({}),
    run: async (_, { project_id }) => ({
      result: { scenarios: (await this.repository.all(project_id)).map(toSummary) },
    }),
  };

  readonly solve: Tool<z.infer<typeof solveInput>> = {
    name: 'solve_scenarios',
    description: [
      'Solves scenarios and the unchanged canvas, all from the same snapshot. Returns for each the objective, its difference from the canvas and the KPIs,',
      'or the conflicting constraints, or the reason for a failure. Scenarios never change the feasibility_result of the checklist.',
      `Counts as one of at most ${MAX_SOLVES} solves in a turn.`,
    ].join(' '),
    input: solveInput,
    run: (input, context) =>
      Promise.resolve({
        effect: async (tx, project) => {
          const trigger = await this.turnSolves.admit(tx, project.id, context);
          const scenarios = await this.select(tx, project.id, input.names);
          const batch = { ...trigger, is_test: input.is_test };
          const executions = await withReadableErrors(() =>
            this.solves.start(tx, project, batch, scenarios, input.include_base),
          );
          const names = new Map(scenarios.map((scenario) => [scenario.id, scenario.name]));
          return { unfinished: async () => await this.outcome(context, executions, names) };
        },
      }),
  };

  readonly compare: Tool<z.infer<typeof compareInput>> = {
    name: 'compare_scenarios',
    description: [
      'Compares the newest plans of scenarios with that of the canvas without solving. Returns objectives, KPIs, their differences,',
      'and the variables that differ most, by scenario name (null: the canvas).',
    ].join(' '),
    input: compareInput,
    run: async ({ names }, { principal, project_id, signal }) => {
      const selected = await this.select(this.database.manager, project_id, names);
      const ids = selected.map(({ id }) => id);
      const { base, scenarios, differing } = await this.comparison.compare(
        ProjectReader.of(principal),
        project_id,
        ids,
        signal,
      );
      const namesById = new Map(scenarios.map(({ scenario_id, name: title }) => [scenario_id, title]));
      const members = differing.slice(0, MAX_DIFFERING).map(({ family, keys, values }) => ({
        variable: family,
        keys,
        values: Object.entries(values).map(([id, value]) => ({ scenario: namesById.get(id) ?? null, value })),
      }));
      return { result: { base, scenarios, differing: members } satisfies ComparisonResult };
    },
  };

  constructor(
    private readonly database: DatabaseService,
    private readonly comparison: ScenarioComparisonService,
    private readonly scenarios: ScenariosService,
    private readonly repository: ScenariosRepository,
    private readonly solves: ScenarioSolvesService,
    private readonly turnSolves: TurnSolvesService,
    private readonly cards: CardsRepository,
    private readonly files: CardFilesService,
  ) {}

  /** Reads the replacement files before the scenario is stored, because the result reports problems with them. */
  private async readFiles({ changes = [] }: Upsert, context: AgentContext): Promise<void> {
    if (!changes.some(({ kind }) => kind === 'file')) return;
    const cards = await this.cards.list(context.project_id);
    await this.files.statesOf(context, withOtherFiles(cards, changes));
  }

  private async upsertScenario(
    tx: Tx,
    project: Parameters<ScenariosService['add']>[1],
    input: Upsert,
  ): Promise<ToolOutcome> {
    const { new_name, description, append } = input;
    const changes = input.changes;
    const old = await this.find(tx, project.id, input.name);
    const values = {
      ...(new_name !== undefined && { name: new_name }),
      ...(description !== undefined && { description }),
      ...(changes !== undefined && { changes: append ? [...(old?.changes ?? []), ...changes] : changes }),
    };
    if ((values.changes?.length ?? 0) > MAX_CHANGES)
      throw new ToolFailure('invalid_input', `A scenario can have at most ${MAX_CHANGES} changes`);
    const scenario = await withReadableErrors(() =>
      old === undefined
        ? this.scenarios.add(tx, project, { name: input.name, changes: [], ...values })
        : this.scenarios.edit(tx, project, old, values),
    );
    return { result: { scenario_id: scenario.id, ...toSummary(scenario) } };
  }

  /** Returns the scenario with this name, ignoring case if no exact match exists. */
  private async find(tx: Tx, project_id: ProjectId, title: string): Promise<Scenario | undefined> {
    const all = await tx.withRepository(this.repository).all(project_id);
    const exact = all.find((one) => one.name === title);
    return exact ?? all.find((one) => plain(one.name) === plain(title));
  }

  private async require(tx: Tx, project_id: ProjectId, title: string): Promise<Scenario> {
    const scenario = await this.find(tx, project_id, title);
    if (scenario !== undefined) return scenario;
    const names = (await tx.withRepository(this.repository).names(project_id)).map((one) => `"${one.name}"`);
    const hint = names.length === 0 ? '' : `; the project has ${listNames(names)}`;
    throw new ToolFailure('not_found', `There is no scenario "${title}"${hint}`);
  }

  private async select(tx: Tx, project_id: ProjectId, names: string[] | undefined): Promise<Scenario[]> {
    const scenarios: Scenario[] = [];
    if (names === undefined) scenarios.push(...(await tx.withRepository(this.repository).all(project_id)));
    for (const title of names ?? []) scenarios.push(await this.require(tx, project_id, title));
    if (scenarios.length === 0) throw new ToolFailure('not_found', 'There are no scenarios yet');
    return scenarios.filter(({ id }, at) => scenarios.findIndex((one) => one.id === id) === at);
  }

  private async outcome(
    context: AgentContext,
    executions: readonly ExecutionRecord[],
    names: ReadonlyMap<string, string>,
  ): Promise<ToolOutcome> {
    const ids = executions.map(({ id }) => id);
    const { ended, feasibility_result } = await this.turnSolves.outcomes(context, ids);
    const base = ended.find(({ scenario_id }) => scenario_id === null)?.result?.objective_value;
    return { result: { runs: ended.map((execution) => toRun(execution, names, base)), feasibility_result } };
  }
}

const plain = (title: string): string => title.trim().toLowerCase();

const toSummary = ({ name: title, description, changes }: Scenario) => ({
  name: title,
  description,
  changes: changes.map((one) => ScenarioChange.from(one)),
});

function toRun(
  { id, status, scenario_id, result, error }: EndedExecutionRecord,
  names: ReadonlyMap<string, string>,
  base: number | null | undefined,
): ScenarioRun {
  const value = result?.objective_value;
  const isScenario = scenario_id !== null;
  return {
    scenario: isScenario ? (names.get(scenario_id) ?? null) : null,
    execution_id: id,
    status,
    ...(result !== null && { outcome: result.status, objective_value: result.objective_value }),
    ...(isScenario && value != null && base != null && { difference: value - base }),
    ...(result?.kpis !== undefined && { kpis: result.kpis.map(({ label, value: kpi }) => ({ label, value: kpi })) }),
    ...(result !== null && result.conflict.length > 0 && { conflict: result.conflict }),
    ...(error !== null && { error: error.message }),
  };
}

/** Converts invalid changes to a tool failure that describes them in sentences, without locations in a request. */
async function withReadableErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChangesDoNotFit) && !(error instanceof ScenariosDoNotFit)) throw error;
    throw new ToolFailure('invalid_input', error.sentences.join('; '), { errors: error.detail });
  }
}
