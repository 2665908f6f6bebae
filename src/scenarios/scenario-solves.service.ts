import { setImmediate as breathe } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { ExecutionRecord } from '../executions/execution-views.repository.js';
import { ExecutionsService, type NewBatch, type Variant } from '../executions/executions.service.js';
import { type Canvas, InputsService } from '../executions/inputs.service.js';
import { triggerOf } from '../executions/trigger.js';
import { shortened } from '../../packages/modelling/index.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { type ErrorEntry, Invalid, invalidValue, isId } from '../common/errors/errors.js';
import { DataFilesService } from '../projects/canvas/data-files.service.js';
import { applyChanges, type FileStates, sentenceOf, withOtherFiles } from '../../packages/canvas/index.js';
import type { ProjectEditor } from '../projects/project-access.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Scenario } from './scenario.entity.js';
import { type ScenarioSolveRequest, ScenarioSolveResponse } from './scenarios.dto.js';
import { ScenariosRepository } from './scenarios.repository.js';

/** Maximum total size of the cards in a batch, in bytes. Each run stores its own copy. */
const MAX_BATCH_BYTES = 64 * 1024 ** 2;

interface UnfitScenario {
  /** Zero-based index in the list. Undefined if the problem concerns the whole batch. */
  index?: number;
  sentence: string;
  input: unknown;
}

/**
 * Thrown if scenarios no longer apply to the canvas, each reported with its index, or if the batch is too large.
 */
export class ScenariosDoNotFit extends Invalid {
  /** Problems as sentences for users. */
  readonly sentences: string[];

  constructor(problems: readonly UnfitScenario[]) {
    super(
      problems.map(({ index, sentence, input }) =>
        invalidValue(['body', 'scenario_ids', ...(index === undefined ? [] : [index])], sentence, input),
      ),
    );
    this.sentences = problems.map(({ sentence }) => sentence);
  }
}

/**
 * Starts solves of scenarios. All solves in a request use the same snapshot of the canvas. If one of them cannot start, none of
 * them do.
 */
@Injectable()
export class ScenarioSolvesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly scenarios: ScenariosRepository,
    private readonly executions: ExecutionsService,
    private readonly inputs: InputsService,
    private readonly files: DataFilesService,
    private readonly events: ProjectEventsService,
  ) {}

  onModuleInit(): void {
    this.executions.onScenario(async (tx, project, scenario_id) => {
      const byId = await tx.withRepository(this.scenarios).byIds(project.id, [scenario_id].filter(isId));
      const scenario = byId.get(scenario_id.toLowerCase());
      if (scenario === undefined)
        throw new Invalid([invalidValue(AT, 'the project has no such scenario', scenario_id)]);
      const canvas = await this.canvas(tx, project);
      const { variant, problem } = await this.variantOf(tx, canvas, scenario);
      if (problem !== undefined) throw new Invalid([invalidValue(AT, problem, scenario_id)]);
      return { files: canvas.files, variant };
    });
  }

  /** Solves scenarios in a project. @throws NotFound, Invalid for an unknown id, and the errors of {@link start} */
  async solve(editor: ProjectEditor, projectId: string, request: ScenarioSolveRequest): Promise<ScenarioSolveResponse> {
    const { scenario_ids, include_base, is_test, mip_gap, name = null, time_limit_seconds = null } = request;
    const options = { is_test, mip_gap: mip_gap ?? 0, name, time_limit_seconds };
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return await editor.once(tx, async () => {
        const scenarios = await this.requireScenarios(tx, project, scenario_ids);
        const batch = { ...triggerOf(editor.caller), ...options };
        return ScenarioSolveResponse.from(await this.start(tx, project, batch, scenarios, include_base));
      });
    });
  }

  /**
   * Starts an execution for each scenario in a locked project. The execution of the unchanged canvas comes first, if included.
   *
   * @throws ScenariosDoNotFit
   * @throws TooManyRequests if too many of the company's executions are waiting
   */
  async start(
    tx: Tx,
    project: Project,
    batch: NewBatch,
    scenarios: readonly Scenario[],
    includesBase: boolean,
  ): Promise<ExecutionRecord[]> {
    const canvas = await this.canvas(tx, project);
    checkSize(canvas, scenarios, includesBase);
    const variants: Variant[] = includesBase ? [{ cards: canvas.cards, scenario_id: null, name: null }] : [];
    const problems: UnfitScenario[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      // Lets the event loop serve other requests, because each scenario of a large canvas takes a while.
      await breathe();
      const { variant, problem } = await this.variantOf(tx, canvas, scenario);
      variants.push(variant);
      if (problem !== undefined) problems.push({ index, sentence: problem, input: scenario.id });
    }
    if (problems.length > 0) throw new ScenariosDoNotFit(problems);
    return await this.executions.startAll(tx, project, batch, canvas.files, variants);
  }

  private async canvas(tx: Tx, project: Project): Promise<CanvasWithStates> {
    const canvas = await this.inputs.canvas(tx, project);
    return { ...canvas, states: (await this.files.cachedStates(canvas.files, canvas.cards, tx)).states };
  }

  /** Returns the canvas with the changes of a scenario, and the first problem if a change no longer applies. */
  private async variantOf(
    tx: Tx,
    canvas: CanvasWithStates,
    scenario: Scenario,
  ): Promise<{ variant: Variant; problem: string | undefined }> {
    const { id, name, changes } = scenario;
    const files = await this.statesFor(tx, canvas, scenario);
    const { cards, problems } = applyChanges(canvas.cards, changes, { files, name });
    const [problem] = problems;
    const reason = problem && sentenceOf(problem, changes);
    return {
      variant: { cards, scenario_id: id, name },
      problem: reason && `the scenario "${shortened(name)}" no longer applies: ${reason}`,
    };
  }

  /** Returns the cached states of a scenario's files. */
  private async statesFor(
    tx: Tx,
    { cards, files, states }: CanvasWithStates,
    { changes }: Scenario,
  ): Promise<FileStates> {
    if (!changes.some(({ kind }) => kind === 'file')) return states;
    return (await this.files.cachedStates(files, withOtherFiles(cards, changes), tx)).states;
  }

  /**
   * Returns the requested scenarios in the order of the request.
   * @throws Invalid
   */
  private async requireScenarios(tx: Tx, { id: project_id }: Project, ids: readonly string[]): Promise<Scenario[]> {
    const lowerIds = ids.map((id) => id.toLowerCase());
    const byId = await tx.withRepository(this.scenarios).byIds(project_id, lowerIds.filter(isId));
    const problems: ErrorEntry[] = [];
    const scenarios = lowerIds.flatMap((id, index) => {
      const refuse = (text: string): [] => {
        problems.push(invalidValue(['body', 'scenario_ids', index], text, ids[index]));
        return [];
      };
      const scenario = byId.get(id);
      if (scenario === undefined) return refuse('the project has no such scenario');
      return lowerIds.indexOf(id) < index ? refuse('the scenario is listed twice') : [scenario];
    });
    if (problems.length > 0) throw new Invalid(problems);
    return scenarios;
  }
}

/**
 * Checks that the copies of the canvas in a batch do not exceed the maximum size.
 * @throws ScenariosDoNotFit
 */
function checkSize({ cards }: Canvas, scenarios: readonly Scenario[], includesBase: boolean): void {
  const base = includesBase ? 1 : 0;
  if (scenarios.length + base <= 1) return;
  const bytes = Buffer.byteLength(JSON.stringify(cards.map(({ label, data }) => ({ label, data }))));
  const most = Math.max(1, Math.floor(MAX_BATCH_BYTES / bytes) - base);
  if (scenarios.length <= most) return;
  const suffix = includesBase ? ' with it' : '';
  const many = most === 1 ? '1 scenario' : `${most} scenarios`;
  const sentence = `the canvas is so large that at most ${many} can be solved together${suffix}`;
  throw new ScenariosDoNotFit([{ sentence, input: scenarios.map(({ id }) => id) }]);
}

/** Canvas with the cached states of its files. */
interface CanvasWithStates extends Canvas {
  states: FileStates;
}

const AT = ['body', 'scenario_id'];
