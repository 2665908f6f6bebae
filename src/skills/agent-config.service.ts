import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { INSTRUCTIONS_FILE, SKILLS_FOLDER } from '../deployments/template.js';
import { TemplatesService } from '../deployments/templates.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import type { ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import { Conflict } from '../common/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type EffectiveConfig, EffectiveConfigService } from './effective-config.service.js';
import type {
  AgentConfigPullRequest,
  AgentConfigPullResponse,
  CheckoutRequest,
  CheckoutResponse,
} from './skills.dto.js';
import type { ProjectEditor, ProjectReader } from '../projects/project-access.js';
import { ProjectOriginsService } from '../projects/project-origins.service.js';

/** Manages a project's copy of a deployment's configuration. */
@Injectable()
export class AgentConfigService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsService,
    private readonly templates: TemplatesService,
    private readonly origins: ProjectOriginsService,
    private readonly effectiveConfig: EffectiveConfigService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Returns the configuration with which a turn would start now, unless the caller already has it.
   * @throws NotFound
   */
  async get(reader: ProjectReader, projectId: string, clientTags: ClientTags): Promise<Tagged<EffectiveConfig>> {
    return await this.effectiveConfig.show(await this.projects.require(reader, projectId), clientTags);
  }

  /**
   * Replaces the instructions, the skills or both in the project's deployment scope with the deployment's current content. Does
   * not change the project's own scope.
   *
   * @throws NotFound if the project or the named deployment does not exist
   * @throws Conflict if the request does not name a deployment, and the project has no origin or its origin was deleted
   * @throws Invalid if a project cannot use the configuration
   */
  async pull(
    editor: ProjectEditor,
    projectId: string,
    { from_deployment, instructions, skills }: AgentConfigPullRequest,
  ): Promise<AgentConfigPullResponse> {
    const { company_id } = editor;
    const names = [...(instructions ? [INSTRUCTIONS_FILE] : []), ...(skills ? [SKILLS_FOLDER] : [])];
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      return await editor.once(tx, async () => {
        const deployment = await this.sourceOf(tx, project, from_deployment);
        const { objects, config_digest } = await this.templates.copyConfig(tx, {
          from: { company_id, container_id: deployment.container_id },
          to: { company_id, container_id: project.agent_config_id },
          names,
          requested: from_deployment ?? null,
        });
        await tx.withRepository(this.projects).recordConfig(project.id, { config_digest });
        this.events.by(tx, editor.caller);
        this.events.note(tx, project.id, 'config.changed', { skill: null });
        return { from_deployment: deployment.handle, objects };
      });
    });
  }

  /**
   * Makes the deployment the project's origin. Pulls instructions and skills, and copies the template files into the workspace.
   * Keeps existing files in the workspace.
   *
   * @throws NotFound if the project or the deployment does not exist
   * @throws Invalid if a project cannot use the configuration
   */
  async checkout(
    editor: ProjectEditor,
    projectId: string,
    { from_deployment: requested }: CheckoutRequest,
  ): Promise<CheckoutResponse> {
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      return await editor.once(tx, async () => {
        const { id } = project;
        const { deployment, objects, workspace_files } = await this.origins.checkOut(tx, project, requested);
        this.events.by(tx, editor.caller);
        this.events.note(tx, id, 'config.changed', { skill: null });
        if (workspace_files > 0) this.events.note(tx, id, 'files.changed', { paths: null, count: workspace_files });
        return { from_deployment: deployment.handle, objects, workspace_files };
      });
    });
  }

  private async sourceOf(tx: Tx, project: Project, name: string | undefined): Promise<Deployment> {
    if (name !== undefined) return await this.deployments.require(project.company_id, name, tx);
    const origin = await this.deployments.findById(project.company_id, project.origin_deployment_id, tx);
    if (origin === null)
      throw new Conflict('no_origin', 'The project has no deployment to pull from; name one in from_deployment');
    return origin;
  }
}
