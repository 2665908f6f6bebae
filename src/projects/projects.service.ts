import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { Config } from '../config/config.js';
import { AGENT_CONFIG_NAMES } from '../deployments/template.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { TemplatesService } from '../deployments/templates.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Forbidden } from '../common/errors/errors.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags, KnownTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import type { Page } from '../common/listing/page.js';
import { type ProjectEditor, ProjectOwner, type ProjectReader } from './project-access.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import type { Project } from './project.entity.js';
import { type ProjectCreateRequest, type ProjectQuery, ProjectResponse, type ProjectUpdate } from './projects.dto.js';
import { type ListedProject, type ProjectDetails, ProjectsRepository } from './projects.repository.js';
import { SnapshotsService } from './snapshots.service.js';

/** Takes part in the transaction that creates a project. */
export type CreationListener = (tx: Tx, project: Project) => Promise<void>;

/** Projects of companies, each for those who may see it. */
@Injectable()
export class ProjectsService {
  private readonly creationListeners: CreationListener[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsService,
    private readonly containers: ContainersService,
    private readonly templates: TemplatesService,
    private readonly snapshots: SnapshotsService,
    private readonly members: ProjectMembersRepository,
    private readonly config: Config,
    private readonly events: ProjectEventsService,
  ) {}

  /** Lets a module above add its part to every new project. */
  onCreate(listener: CreationListener): void {
    this.creationListeners.push(listener);
  }

  /** The projects that the caller sees last changed or deleted first. */
  async list(reader: ProjectReader, query: ProjectQuery): Promise<Page<ListedProject>> {
    return await this.projects.summaries(reader, query, this.config.PROJECTS_GRACE_SECONDS);
  }

  /** @throws NotFound */
  async details(reader: ProjectReader, projectId: string, known: KnownTags): Promise<Tagged<ProjectDetails>> {
    return await this.projects.details(reader, projectId, known);
  }

  /**
   * Creates a project; one made from a deployment gets its agent configuration in the project's deployment scope and
   * its other files in the workspace. Its owner is the caller, or who has made the caller's API key.
   *
   * @param wantedId the id it gets; default a new one
   * @throws Forbidden for a key that is for certain projects.
   * @throws NotFound when there is no such deployment.
   * @throws Invalid when its configuration is more than a project can have.
   */
  async create(editor: ProjectEditor, request: ProjectCreateRequest, wantedId?: string): Promise<ProjectResponse> {
    const { project_ids } = editor.caller;
    if (project_ids !== null)
      throw new Forbidden('api_key_limited', 'An API key for certain projects creates no others');
    return await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const create = async (): Promise<ProjectResponse> =>
        ProjectResponse.from(await this.add(tx, editor, request, wantedId));
      // Who may create projects may not see for ever what they have created.
      return await editor.once(tx, create, async ({ text }) => {
        await projects.require(editor, (JSON.parse(text) as ProjectResponse).id);
      });
    });
  }

  private async add(
    tx: Tx,
    editor: ProjectEditor,
    request: ProjectCreateRequest,
    wantedId?: string,
  ): Promise<ProjectDetails> {
    const { company_id, user_id, person_id } = editor.caller;
    const projects = tx.withRepository(this.projects);
    const origin =
      request.from_deployment == null ? null : await this.deployments.require(company_id, request.from_deployment, tx);
    const { id } = await projects.save({
      ...(wantedId !== undefined && { id: wantedId }),
      company_id,
      name: request.name,
      description: request.description ?? null,
      short_description: request.short_description ?? null,
      workspace_id: await this.containers.create(tx, company_id, 'workspace'),
      agent_config_id: await this.containers.create(tx, company_id, 'agent_config'),
      project_skills_id: await this.containers.create(tx, company_id, 'project_skills'),
      origin_deployment_id: origin?.id ?? null,
      created_by: user_id,
      visibility: request.visibility,
    });
    await tx.withRepository(this.members).put({ project_id: id, company_id, user_id: person_id, role: 'owner' });
    const project = await projects.lock(editor, id);
    if (origin !== null) {
      const from = { company_id, container_id: origin.container_id };
      const to = { company_id, container_id: project.agent_config_id };
      const requested = request.from_deployment ?? null;
      const { config_digest } = await this.templates.copyConfig(tx, {
        from,
        to,
        names: AGENT_CONFIG_NAMES,
        requested,
      });
      await projects.noteConfig(id, { config_digest });
      await this.templates.copyFiles(tx, from, { company_id, container_id: project.workspace_id });
    }
    for (const listener of this.creationListeners) await listener(tx, project);
    if (request.workspace_mode === 'run') await this.enterRunMode(tx, project);
    return await projects.shown(editor, id);
  }

  /**
   * @throws NotFound
   * @throws Forbidden also for somebody who is no owner and says who sees the project
   * @throws PreconditionFailed
   */
  async update(
    editor: ProjectEditor,
    projectId: string,
    change: ProjectUpdate,
    expected: ExpectedTags,
  ): Promise<Tagged<ProjectDetails>> {
    return await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const { name, description, short_description, workspace_mode, visibility } = change;
      const project = await projects.lock(editor, projectId);
      if (visibility != null && visibility !== project.visibility) {
        await projects.require(ProjectOwner.of(editor.caller), projectId);
      }
      await assertExpected(expected, () => projects.tagOf(editor, project.id));
      await projects.change(project.id, {
        name: name ?? project.name,
        ...(description !== undefined && { description }),
        ...(short_description !== undefined && { short_description }),
        ...(workspace_mode === 'define' && { workspace_mode }),
        ...(visibility != null && { visibility }),
      });
      const takesSnapshot = workspace_mode === 'run' && project.workspace_mode === 'define';
      if (takesSnapshot) await this.enterRunMode(tx, project);
      const given = Object.entries({ name, description, short_description, workspace_mode, visibility });
      const fields = given.filter(([, value]) => value !== undefined).map(([field]) => field);
      this.events.by(tx, editor.caller);
      this.events.note(tx, project.id, 'project.updated', {
        fields: takesSnapshot ? [...fields, 'current_snapshot_id', 'snapshots'] : fields,
      });
      return await projects.details(editor, project.id);
    });
  }

  /** From here on solves read the snapshot that is taken now. */
  private async enterRunMode(tx: Tx, project: Project): Promise<void> {
    const current_snapshot_id = await this.snapshots.take(tx, project);
    await tx
      .withRepository(this.projects)
      .update({ id: project.id }, { workspace_mode: 'run', run_setup_status: 'ready', current_snapshot_id });
  }
}
