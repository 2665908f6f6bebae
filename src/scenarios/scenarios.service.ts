import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags } from '../common/etag/entity-tag.js';
import { Conflict, type ErrorEntry, Invalid, invalidValue } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import { DataFilesService } from '../projects/canvas/data-files.service.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import {
  applyChanges,
  type Change,
  type ChangeProblem,
  sentenceOf,
  withOtherFiles,
} from '../../packages/canvas/index.js';
import type { ProjectEditor, ProjectReader } from '../projects/project-access.js';
import { MAX_SCENARIOS, type Scenario, scenarioTag } from './scenario.entity.js';
import { type ScenarioCreateRequest, ScenarioResponse, type ScenarioUpdateRequest } from './scenarios.dto.js';
import { ScenariosRepository } from './scenarios.repository.js';

/** Changes that do not fit the canvas, each at its place. */
export class UnfitChanges extends Invalid {
  /** What is wrong, for people. */
  readonly sentences: string[];

  constructor(changes: readonly Change[], problems: readonly ChangeProblem[]) {
    super(problems.map((problem) => entryOf(changes, problem)));
    this.sentences = problems.map((problem) => sentenceOf(problem, changes));
  }
}

/** Scenarios of projects. Each operation finds its project first: NotFound. */
@Injectable()
export class ScenariosService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly scenarios: ScenariosRepository,
    private readonly cards: CardsRepository,
    private readonly files: DataFilesService,
    private readonly events: ProjectEventsService,
  ) {}

  /** The scenarios of a project, newest first. */
  async list(reader: ProjectReader, projectId: string, page: WalkQuery): Promise<Page<Scenario>> {
    const { id } = await this.projects.require(reader, projectId);
    return await this.scenarios.page(id, page);
  }

  /** @throws NotFound */
  async get(reader: ProjectReader, projectId: string, scenarioId: string): Promise<Scenario> {
    const { id } = await this.projects.require(reader, projectId);
    return await this.scenarios.require(id, scenarioId);
  }

  /** Makes a scenario. @param wantedId its id; absent: a new one @throws as {@link add} */
  async create(
    editor: ProjectEditor,
    projectId: string,
    request: ScenarioCreateRequest,
    wantedId?: string,
  ): Promise<ScenarioResponse> {
    return await this.inProject(
      editor,
      projectId,
      async (tx, project) =>
        await editor.once(tx, async () => ScenarioResponse.from(await this.add(tx, project, request, wantedId))),
    );
  }

  /** Changes a scenario. @throws NotFound @throws PreconditionFailed, and as {@link edit} */
  async update(
    editor: ProjectEditor,
    projectId: string,
    scenarioId: string,
    request: ScenarioUpdateRequest,
    expected: ExpectedTags,
  ): Promise<Scenario> {
    return await this.inProject(editor, projectId, async (tx, project) => {
      const scenario = await tx.withRepository(this.scenarios).require(project.id, scenarioId);
      await assertExpected(expected, () => scenarioTag(scenario));
      return await this.edit(tx, project, scenario, request);
    });
  }

  /** Deletes a scenario; its executions stay. @throws NotFound @throws PreconditionFailed */
  async delete(editor: ProjectEditor, projectId: string, scenarioId: string, expected: ExpectedTags): Promise<void> {
    await this.inProject(editor, projectId, async (tx, project) => {
      const scenario = await tx.withRepository(this.scenarios).require(project.id, scenarioId);
      await assertExpected(expected, () => scenarioTag(scenario));
      await this.remove(tx, scenario);
    });
  }

  /**
   * Makes a scenario in a locked project.
   *
   * @throws Conflict when one of that name is there, or there are too many
   * @throws UnfitChanges
   */
  async add(
    tx: Tx,
    project: Project,
    { name, description = null, changes }: ScenarioCreateRequest,
    wantedId?: string,
  ): Promise<Scenario> {
    const scenarios = tx.withRepository(this.scenarios);
    const project_id = project.id;
    if ((await scenarios.countBy({ project_id })) >= MAX_SCENARIOS)
      throw new Conflict('too_many_scenarios', `A project has at most ${MAX_SCENARIOS} scenarios; delete one first`);
    await this.assertFree(tx, project, name);
    await this.check(tx, project, name, changes);
    const { id } = await scenarios.save({
      ...(wantedId !== undefined && { id: wantedId }),
      project_id,
      name,
      description,
      changes,
    });
    await tx.withRepository(this.projects).change(project_id, {});
    this.events.note(tx, project_id, 'scenario.changed', { scenario_id: id, deleted: false });
    return await scenarios.require(project_id, id);
  }

  /**
   * Changes a scenario of a locked project.
   *
   * @throws Conflict when another one has the name
   * @throws UnfitChanges
   */
  async edit(tx: Tx, project: Project, scenario: Scenario, edit: ScenarioUpdateRequest): Promise<Scenario> {
    const { name = scenario.name, description = scenario.description, changes } = edit;
    if (name !== scenario.name) await this.assertFree(tx, project, name);
    if (changes !== undefined) await this.check(tx, project, name, changes);
    const scenarios = tx.withRepository(this.scenarios);
    await scenarios.change(scenario, { name, description, ...(changes !== undefined && { changes }) });
    await tx.withRepository(this.projects).change(project.id, {});
    this.events.note(tx, project.id, 'scenario.changed', { scenario_id: scenario.id, deleted: false });
    return await scenarios.require(project.id, scenario.id);
  }

  /** Deletes a scenario of a locked project. */
  async remove(tx: Tx, { project_id, id }: Scenario): Promise<void> {
    await tx.withRepository(this.scenarios).delete({ project_id, id });
    await tx.withRepository(this.projects).change(project_id, {});
    this.events.note(tx, project_id, 'scenario.changed', { scenario_id: id, deleted: true });
  }

  private async inProject<Result>(
    editor: ProjectEditor,
    projectId: string,
    work: (tx: Tx, project: Project) => Promise<Result>,
  ): Promise<Result> {
    return await this.database.transaction(async (tx) => {
      this.events.by(tx, editor.caller);
      return await work(tx, await tx.withRepository(this.projects).lock(editor, projectId));
    });
  }

  private async assertFree(tx: Tx, { id: project_id }: Project, name: string): Promise<void> {
    if ((await tx.withRepository(this.scenarios).countBy({ project_id, name })) > 0)
      throw new Conflict('scenario_exists', 'A scenario of this name exists already');
  }

  /** Looks whether changes fit the canvas as it is. */
  private async check(
    tx: Tx,
    { id, company_id, workspace_id }: Project,
    name: string,
    changes: readonly Change[],
  ): Promise<void> {
    const cards = await tx.withRepository(this.cards).list(id);
    const workspace = { company_id, container_id: workspace_id };
    const { states } = await this.files.known(workspace, withOtherFiles(cards, changes), tx);
    const { problems } = applyChanges(cards, changes, { files: states, name });
    if (problems.length > 0) throw new UnfitChanges(changes, problems);
  }
}

function entryOf(changes: readonly Change[], { index, field, problem }: ChangeProblem): ErrorEntry {
  const change = changes[index];
  const loc = ['body', 'changes', index, ...(field === undefined ? [] : [field])];
  return invalidValue(loc, problem, (field === undefined ? change : change?.[field]) ?? null);
}
