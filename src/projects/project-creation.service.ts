import { Injectable } from '@nestjs/common';
import { Forbidden } from '../common/errors/errors.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import type { ProjectEditor } from './project-access.js';
import { ProjectLifeService } from './project-life.service.js';
import { ProjectOriginsService } from './project-origins.service.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { type ProjectCreateRequest, ProjectResponse } from './projects.dto.js';
import { type ProjectDetails, ProjectViewsRepository } from './project-views.repository.js';
import { ProjectsRepository } from './projects.repository.js';
import { SnapshotsService } from './snapshots.service.js';

/** Creates projects, empty or from a deployment. */
@Injectable()
export class ProjectCreationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly views: ProjectViewsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly origins: ProjectOriginsService,
    private readonly containers: ContainersService,
    private readonly snapshots: SnapshotsService,
    private readonly life: ProjectLifeService,
  ) {}

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
      // A caller who created a project may have lost access to it.
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
    const { from_deployment: requested = null, workspace_mode, ...fields } = request;
    const projects = tx.withRepository(this.projects);
    const { id } = await projects.save({
      ...(wantedId !== undefined && { id: wantedId }),
      ...fields,
      company_id,
      workspace_id: await this.containers.create(tx, company_id, 'workspace'),
      agent_config_id: await this.containers.create(tx, company_id, 'agent_config'),
      project_skills_id: await this.containers.create(tx, company_id, 'project_skills'),
      created_by: user_id,
    });
    await tx.withRepository(this.members).put({ project_id: id, company_id, user_id: person_id, role: 'owner' });
    const project = await projects.lock(editor, id);
    if (requested !== null) await this.origins.checkOut(tx, project, requested);
    await this.life.created(tx, project);
    if (workspace_mode === 'run') await this.snapshots.enterRunMode(tx, project);
    return await this.views.shown(tx, editor, id);
  }
}
