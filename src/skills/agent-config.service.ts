import { Injectable } from '@nestjs/common';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { INSTRUCTIONS_FILE, SKILLS_FOLDER } from '../deployments/template.js';
import { TreesService } from '../files/trees.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { Conflict } from '../platform/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { AgentConfigPullRequest, AgentConfigPullResponse } from './skills.dto.js';

/** The copy of a deployment's configuration that a project holds. */
@Injectable()
export class AgentConfigService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly deployments: DeploymentsService,
    private readonly trees: TreesService,
  ) {}

  /**
   * Replaces the selected kinds in the project's deployment scope by the deployment's present ones; the project's own
   * scope is untouched.
   *
   * @throws NotFound when the project or the named deployment does not exist.
   * @throws Conflict when none is named and the project came from none that still exists.
   */
  async pull(company_id: string, projectId: string, request: AgentConfigPullRequest): Promise<AgentConfigPullResponse> {
    const names = [...(request.instructions ? [INSTRUCTIONS_FILE] : []), ...(request.skills ? [SKILLS_FOLDER] : [])];
    return await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, company_id, projectId);
      const deployment = await this.sourceOf(tx, project, request.from_deployment);
      const from = { company_id, container_id: deployment.container_id };
      const to = { company_id, container_id: project.agent_config_id };
      await this.trees.removeAll(tx, to, names);
      const objects = await this.trees.copy(tx, { from, to, only: names });
      return { from_deployment: deployment.handle, objects };
    });
  }

  private async sourceOf(tx: Tx, project: Project, name: string | undefined): Promise<Deployment> {
    if (name !== undefined) return await this.deployments.require(project.company_id, name, tx);
    const origin = await this.deployments.findById(project.company_id, project.origin_deployment_id, tx);
    if (origin === null) throw new Conflict('The project has no deployment to pull from; name one in from_deployment');
    return origin;
  }
}
