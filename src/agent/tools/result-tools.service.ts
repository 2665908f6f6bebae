import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ConstraintsPage, RunResult, ValuesPage } from '../../../packages/guide/index.js';
import { TaskProblem } from '../../../packages/data-engine/index.js';
import { ExecutionRecordsService } from '../../executions/execution-records.service.js';
import type { ExecutionResult } from '../../executions/execution.entity.js';
import type { ExecutionRecord } from '../../executions/execution-views.repository.js';
import { pathsOf } from '../../executions/inputs.service.js';
import { MEMBER_PAGE, type RunValue } from '../../executions/runs.dto.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import { wordsOf } from '../../../packages/modelling/index.js';
import { Conflict, NotFound } from '../../common/errors/errors.js';
import { ClientTags } from '../../common/etag/entity-tag.js';
import { CardsRepository } from '../../projects/canvas/cards.repository.js';
import { ProjectReader } from '../../projects/project-access.js';
import { TableReaderService } from '../../tables/table-reader.service.js';
import type { AgentContext } from '../agent.js';
import { AgentFilesService } from './agent-files.service.js';
import { changedCards } from './changed-cards.js';
import { type Tool, ToolFailure } from './tool.js';

/** Maximum number of variables and constraints in a result. */
const MAX_SHOWN = 200;
/** Maximum number of members that a call reads. */
const MAX_MEMBERS = 100_000;
/** Largest slack at which a constraint counts as tight. */
const TIGHT = 1e-6;

const valuesInput = z.strictObject({
  variable: z.string().min(1).max(1_024),
  mentioned_in: z
    .string()
    .max(2_000)
    .optional()
    .describe('Returns only the members with the most key parts that occur in this text'),
  order: z.enum(['set', 'largest', 'smallest']).default('set'),
  limit: z.int().min(1).max(100).default(20),
});
const constraintsInput = z.strictObject({
  name: z.string().min(1).max(1_024).optional().describe('Returns only this constraint'),
  tight: z.boolean().default(false).describe('Whether to return only members without slack'),
  limit: z.int().min(1).max(100).default(20),
});

/** Tools that read the newest run of the canvas without solving. */
@Injectable()
export class ResultToolsService {
  readonly result: Tool<Record<string, never>> = {
    name: 'read_result',
    description:
      'Returns the newest run of the canvas without solving: objective, KPIs, variables, constraints with slack and shadow price (dual, of linear programs), and the cards that changed since then. Returns {run: null} if there is no run.',
    input: z.strictObject({}),
    run: async (_, context) => ({ result: { run: (await this.newest(context)) ?? null } }),
  };

  readonly values: Tool<z.infer<typeof valuesInput>> = {
    name: 'read_values',
    description:
      'Returns the values of a variable in the newest run of the canvas, with their count and sum. A variable with an index has a value for each member.',
    input: valuesInput,
    run: async (input, context) => ({ result: await this.membersOf(input, context) }),
  };

  readonly constraints: Tool<z.infer<typeof constraintsInput>> = {
    name: 'read_constraints',
    description:
      'Returns members of constraints in the newest run of the canvas with activity, slack and shadow price, least slack first.',
    input: constraintsInput,
    run: async (input, context) => ({ result: await this.constraintsOf(input, context) }),
  };

  constructor(
    private readonly records: ExecutionRecordsService,
    private readonly cards: CardsRepository,
    private readonly files: AgentFilesService,
    private readonly tree: FileTreeReaderService,
    private readonly tables: TableReaderService,
  ) {}

  private async newestId({ project_id }: AgentContext): Promise<string | undefined> {
    const [newest] = await this.records.newestEnded(project_id, []);
    return newest?.id;
  }

  private async requireNewest(context: AgentContext): Promise<string> {
    const id = await this.newestId(context);
    if (id === undefined) throw new ToolFailure('not_found', 'The canvas has not been solved yet');
    return id;
  }

  private async newest(context: AgentContext): Promise<RunResult | undefined> {
    const id = await this.newestId(context);
    if (id === undefined) return undefined;
    const { run, result } = await this.read(id, context);
    const { status, ended_at, error, model } = run;
    return {
      execution_id: id,
      status,
      ended_at,
      ...(error !== null && { error: error.message }),
      ...(result !== undefined && summaryOf(result)),
      is_integer: (model?.integer_variables ?? 0) + (model?.helpers ?? 0) > 0,
      changed_since: await this.changedSince(run, context),
    };
  }

  private async read(id: string, { principal, project_id }: AgentContext) {
    const { body: run } = await this.records.detail(ProjectReader.of(principal), project_id, id, ClientTags.NONE);
    if (run === undefined) throw new Error('The run has no body');
    const result = run.resultText === null ? undefined : (JSON.parse(run.resultText) as ExecutionResult);
    return { run, result };
  }

  /** Returns the labels of cards and the paths of files that have changed since the run. */
  private async changedSince({ id, company_id, inputs_id }: ExecutionRecord, context: AgentContext): Promise<string[]> {
    const { principal, project_id } = context;
    const { body } = await this.records.cards(ProjectReader.of(principal), project_id, id, ClientTags.NONE);
    if (body == null) return [];
    const cards = changedCards(body, await this.cards.list(project_id));
    if (inputs_id === null) return cards;
    const paths = pathsOf(body);
    const workspace = await this.files.workspace(context);
    const current = await this.tree.findAt(workspace, paths);
    const original = await this.tree.findAt({ company_id, container_id: inputs_id }, paths);
    return [...cards, ...paths.filter((path) => current.get(path)?.blob_id !== original.get(path)?.blob_id)];
  }

  private async membersOf(
    { variable, mentioned_in, order, limit }: z.infer<typeof valuesInput>,
    context: AgentContext,
  ): Promise<ValuesPage> {
    const id = await this.requireNewest(context);
    const reader = ProjectReader.of(context.principal);
    const mentioned = mentioned_in === undefined ? undefined : ` ${wordsOf(mentioned_in).join(' ')} `;
    const members: RunValue[] = [];
    let size = 0;
    for (let offset = 0; offset < MAX_MEMBERS; offset += MEMBER_PAGE) {
      const query = { family: variable, nonzero: false, limit: MEMBER_PAGE, offset };
      const { body } = await this.records.values(
        reader,
        context.project_id,
        id,
        query,
        ClientTags.NONE,
        context.signal,
      );
      if (body === undefined) throw new Error('The page of values has no body');
      size = body.total;
      for (const value of body.values)
        if (mentioned === undefined || value.keys.some((key) => mentioned.includes(spelled(key)))) members.push(value);
      if (offset + MEMBER_PAGE >= size) break;
    }
    const matching = mentioned === undefined ? members : mostMentioned(members, mentioned);
    const sign = order === 'smallest' ? 1 : -1;
    const ordered = order === 'set' ? matching : matching.toSorted((one, other) => sign * (one.value - other.value));
    const sum = matching.reduce((total, { value }) => total + value, 0);
    return { variable, values: ordered.slice(0, limit), count: matching.length, sum, size };
  }

  private async constraintsOf(
    { name, tight, limit }: z.infer<typeof constraintsInput>,
    context: AgentContext,
  ): Promise<ConstraintsPage> {
    const { result } = await this.read(await this.requireNewest(context), context);
    if (result?.objective_value == null) throw new Conflict('execution_has_no_plan', 'The newest run has no plan');
    const path = result.table_paths?.find((one) => one.endsWith('/constraints.csv'));
    const members = path === undefined ? undefined : await this.membersIn(path, { name, tight, limit }, context);
    if (members !== undefined) return members;
    // The result itself contains only the tightest member of a family.
    const fits = result.constraints.filter(
      (one) =>
        (name === undefined || one.name === name || one.name.startsWith(`${name}[`)) && (!tight || one.slack <= TIGHT),
    );
    const constraints = fits
      .toSorted((one, other) => one.slack - other.slack)
      .slice(0, limit)
      .map(({ name: constraint, activity, slack, dual = null }) => ({
        name: constraint,
        keys: '',
        activity,
        slack,
        dual,
      }));
    return { constraints, total: fits.length };
  }

  /** Reads the constraints from a CSV file in the workspace. Returns undefined if the file was removed or replaced. */
  private async membersIn(
    path: string,
    { name, tight, limit }: { name: string | undefined; tight: boolean; limit: number },
    context: AgentContext,
  ): Promise<ConstraintsPage | undefined> {
    const query = {
      columns: ['name', 'keys', 'activity', 'slack', 'dual'],
      where: [
        ...(name === undefined ? [] : [{ column: 'name', op: '=' as const, value: name }]),
        ...(tight ? [{ column: 'slack', op: '<=' as const, value: TIGHT }] : []),
      ],
      order_by: [{ column: 'slack' }],
      limit,
      offset: 0,
    };
    try {
      const workspace = await this.files.workspace(context);
      const { rows, total } = await this.tables.read(workspace, { path }, query, { signal: context.signal });
      const records = JSON.parse(rows) as [Text, Text | null, number, number, number | null][];
      const constraints = records.map(([constraint, keys, activity, slack, dual]) => ({
        name: String(constraint),
        keys: keys === null ? '' : String(keys),
        activity,
        slack,
        dual,
      }));
      return { constraints, total };
    } catch (error) {
      if (error instanceof NotFound || error instanceof TaskProblem) return undefined;
      throw error;
    }
  }
}

/** String that the table engine converts to a number if it looks like one. */
type Text = string | number;

function summaryOf(result: ExecutionResult): Partial<RunResult> {
  const { status: outcome, objective_value, message, conflict, objectives, notes, kpis, families, variables } = result;
  const names = Object.keys(variables).slice(0, MAX_SHOWN);
  return {
    outcome,
    objective_value,
    message,
    conflict,
    ...(objectives !== undefined && { objectives }),
    ...(notes !== undefined && { notes }),
    ...(kpis !== undefined && { kpis }),
    ...(families !== undefined && { families }),
    variables: Object.fromEntries(names.map((name) => [name, variables[name]!])),
    variable_count: Object.keys(variables).length,
    constraints: result.constraints.toSorted((one, other) => one.slack - other.slack).slice(0, MAX_SHOWN),
    constraint_count: result.constraints.length,
  };
}

const spelled = (key: string): string => ` ${wordsOf(key).join(' ')} `;

/**
 * Returns the members for which the text mentions the largest number of key parts. `oak chair in week 2` matches a single
 * member, but neither every member of week 2 nor the key part `oak`.
 */
function mostMentioned(values: readonly RunValue[], text: string): RunValue[] {
  const parts = Array.from(values[0]?.keys ?? [], (_, part) => {
    const spellings = new Set(values.map(({ keys }) => spelled(keys[part] ?? '')));
    let rest = text;
    const longestFirst = [...spellings].sort((one, other) => other.length - one.length);
    return new Set(
      longestFirst.filter((spelling) => {
        const isMentioned = rest.includes(spelling);
        rest = rest.replaceAll(spelling, ' | ');
        return isMentioned;
      }),
    );
  });
  const counts = values.map(({ keys }) => keys.filter((key, part) => parts[part]?.has(spelled(key))).length);
  const most = counts.reduce((one, other) => Math.max(one, other), 1);
  return values.filter((_, at) => counts[at] === most);
}
