import { Injectable } from '@nestjs/common';
import { AGENT_CONFIG_NAMES } from '../deployments/template.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { TemplatesService } from '../deployments/templates.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import type { Principal } from '../platform/auth/principal.js';
import { Database, type Tx } from '../platform/database/database.js';
import { NotFound, parseId } from '../platform/errors/errors.js';
import type { JsonText } from '../platform/http/json-text.js';
import { type JsonPage, readJsonPage } from '../platform/database/json-page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { CanvasService } from './canvas/canvas.service.js';
import type { Card } from './canvas/card.entity.js';
import { Project } from './project.entity.js';
import type { ProjectCreateRequest, ProjectQuery, ProjectUpdate } from './projects.dto.js';
import { adjustProject, findDetails, findSummaries, projectOf } from './projects.queries.js';
import { SnapshotsService } from './snapshots.service.js';

/** Increments of what the modules above projects keep in them. */
export interface ProjectChange {
  active_turns?: number;
  active_solves?: number;
  credits?: number;
  /** What a solve has found out; absent: as it was. */
  feasibility_result?: Project['feasibility_result'];
}

/** What a project's deployment scope holds. */
export interface ConfigNote {
  /** Of all that the scope holds. */
  config_digest: string;
  origin_deployment_id?: string;
}

/** Rows that a module above keeps of projects in a table with `project_id`, as SQL. */
export interface ProjectRows {
  table: string;
  /** What the answer shows, under its names. */
  columns: string;
  /** Of columns qualified by the table: a bare name would be what the answer shows under it. */
  order: string;
}

/** Takes part in the transaction that creates a project. */
export type CreationListener = (tx: Tx, project: Project) => Promise<void>;

/** Projects of companies. Every method is scoped by company. */
@Injectable()
export class ProjectsService {
  private readonly creationListeners: CreationListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsService,
    private readonly containers: ContainersService,
    private readonly templates: TemplatesService,
    private readonly snapshots: SnapshotsService,
    private readonly canvas: CanvasService,
  ) {}

  /** Lets a module above add its part to every new project. */
  onCreate(listener: CreationListener): void {
    this.creationListeners.push(listener);
  }

  /** The company's projects as ProjectSummary, last changed first. */
  async list(company_id: string, query: ProjectQuery): Promise<JsonPage> {
    return await findSummaries(this.database.manager, company_id, query);
  }

  /** The project as ProjectResponse. @throws NotFound */
  async details(company_id: string, projectId: string, tx: Tx = this.database.manager): Promise<JsonText> {
    const project = await findDetails(tx, company_id, parseId(projectId, 'Project'));
    if (project === undefined) throw new NotFound('Project');
    return project;
  }

  /**
   * Creates a project; one made from a deployment gets its agent configuration in the project's deployment scope and
   * its other files in the workspace.
   *
   * @param wantedId the id it gets; default a new one
   * @throws NotFound when there is no such deployment.
   * @throws Invalid when its configuration is more than a project can have.
   */
  async create(caller: Principal, request: ProjectCreateRequest, wantedId?: string): Promise<JsonText> {
    const { company_id } = caller;
    return await this.database.transaction(async (tx) => {
      const origin =
        request.from_deployment == null
          ? null
          : await this.deployments.require(company_id, request.from_deployment, tx);
      const { id } = await tx.save(Project, {
        ...(wantedId !== undefined && { id: wantedId }),
        company_id,
        name: request.name,
        description: request.description ?? null,
        short_description: request.short_description ?? null,
        workspace_id: await this.containers.create(tx, company_id, 'workspace'),
        agent_config_id: await this.containers.create(tx, company_id, 'agent_config'),
        project_skills_id: await this.containers.create(tx, company_id, 'project_skills'),
        origin_deployment_id: origin?.id ?? null,
        created_by: caller.user_id,
      });
      const project = await this.lock(tx, company_id, id);
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
        await this.noteConfig(tx, id, { config_digest });
        await this.templates.copyFiles(tx, from, { company_id, container_id: project.workspace_id });
      }
      for (const listener of this.creationListeners) await listener(tx, project);
      if (request.workspace_mode === 'run') await this.enterRunMode(tx, project);
      return await this.details(company_id, id, tx);
    });
  }

  /** @throws NotFound */
  async update(company_id: string, projectId: string, change: ProjectUpdate): Promise<JsonText> {
    return await this.database.transaction(async (tx) => {
      const project = await this.lock(tx, company_id, projectId);
      const { name, description, short_description, workspace_mode } = change;
      await tx.update(
        Project,
        { id: project.id },
        {
          name: name ?? project.name,
          ...(description !== undefined && { description }),
          ...(short_description !== undefined && { short_description }),
          ...(workspace_mode === 'define' && { workspace_mode }),
          updated_at: () => 'now()',
        },
      );
      if (workspace_mode === 'run' && project.workspace_mode === 'define') await this.enterRunMode(tx, project);
      return await this.details(company_id, project.id, tx);
    });
  }

  /** The whole canvas, oldest card first. @throws NotFound */
  async cards(company_id: string, projectId: string): Promise<Card[]> {
    const cards = await this.canvas.listOf(company_id, parseId(projectId, 'Project'));
    if (cards.length === 0) await this.require(company_id, projectId);
    return cards;
  }

  /** A page of what a module above keeps of a project. @throws NotFound */
  async page(
    company_id: string,
    projectId: string,
    { table, columns, order }: ProjectRows,
    page: PageQuery,
  ): Promise<JsonPage> {
    const rows = `FROM ${table} WHERE project_id = ${projectOf('$1', '$2')}`;
    const listing = {
      items: `SELECT ${columns} ${rows} ORDER BY ${order}`,
      count: `SELECT count(*) ${rows}`,
      parameters: [company_id, parseId(projectId, 'Project')],
    };
    const listed = await readJsonPage(this.database.manager, listing, page);
    if (listed.total === 0) await this.require(company_id, projectId);
    return listed;
  }

  /** The project as a row. @throws NotFound also for an id that is none. */
  async require(company_id: string, projectId: string, tx: Tx = this.database.manager): Promise<Project> {
    return await this.find(tx, company_id, projectId, '');
  }

  /** The project, locked against other writers until the transaction ends. @throws NotFound */
  async lock(tx: Tx, company_id: string, projectId: string): Promise<Project> {
    return await this.find(tx, company_id, projectId, 'FOR NO KEY UPDATE');
  }

  /** Adds to a project's counters and marks it as changed now. */
  async adjust(
    tx: Tx,
    project_id: string,
    { active_turns = 0, active_solves = 0, credits = 0, feasibility_result }: ProjectChange,
  ): Promise<void> {
    const columns = { active_turns: '$2', active_solves: '$3', credits: '$4', feasibility_result: '$5' };
    await tx.query(adjustProject('$1', columns), [
      project_id,
      active_turns,
      active_solves,
      credits,
      feasibility_result ?? null,
    ]);
  }

  /** Notes what the deployment scope of a locked project holds now and, where given, which deployment it comes from. */
  async noteConfig(tx: Tx, project_id: string, { config_digest, origin_deployment_id }: ConfigNote): Promise<void> {
    await tx.query(
      `UPDATE projects
          SET config_digest = $2, origin_deployment_id = coalesce($3, origin_deployment_id), updated_at = now()
        WHERE id = $1`,
      [project_id, config_digest, origin_deployment_id ?? null],
    );
  }

  /** Makes one of its snapshots the current one of a locked project. */
  async setCurrentSnapshot(tx: Tx, project_id: string, current_snapshot_id: string): Promise<void> {
    await tx.query('UPDATE projects SET current_snapshot_id = $2, updated_at = now() WHERE id = $1', [
      project_id,
      current_snapshot_id,
    ]);
  }

  private async find(tx: Tx, company_id: string, projectId: string, locking: string): Promise<Project> {
    const [project]: Project[] = await tx.query(
      `SELECT * FROM projects WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL ${locking}`,
      [company_id, parseId(projectId, 'Project')],
    );
    if (project === undefined) throw new NotFound('Project');
    return project;
  }

  /** From here on solves read the snapshot that is taken now. */
  private async enterRunMode(tx: Tx, project: Project): Promise<void> {
    const { id: current_snapshot_id } = await this.snapshots.take(tx, project);
    await tx.update(
      Project,
      { id: project.id },
      { workspace_mode: 'run', run_setup_status: 'ready', current_snapshot_id },
    );
  }
}
