import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { AGENT_CONFIG_NAMES } from '../deployments/template.js';
import { TemplatesService } from '../deployments/templates.service.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Deployments that new projects are created from. */
@Injectable()
export class ProjectOriginsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsService,
    private readonly templates: TemplatesService,
  ) {}

  /** The deployment of this handle or name. @throws NotFound */
  async require(tx: Tx, company_id: string, name: string): Promise<Deployment> {
    return await this.deployments.require(company_id, name, tx);
  }

  /**
   * Copies the agent configuration of a deployment to the deployment scope of a new project, and its other files to the workspace.
   *
   * @param requested name of the deployment in the request, for errors
   * @throws Invalid if a project cannot hold the configuration
   */
  async fill(tx: Tx, project: Project, origin: Deployment, requested: string | null): Promise<void> {
    const { id, company_id, agent_config_id, workspace_id } = project;
    const from = { company_id, container_id: origin.container_id };
    const to = { company_id, container_id: agent_config_id };
    const { config_digest } = await this.templates.copyConfig(tx, { from, to, names: AGENT_CONFIG_NAMES, requested });
    await tx.withRepository(this.projects).noteConfig(id, { config_digest });
    await this.templates.copyFiles(tx, from, { company_id, container_id: workspace_id });
  }
}
