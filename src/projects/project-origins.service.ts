import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { AGENT_CONFIG_NAMES } from '../deployments/template.js';
import { TemplatesService } from '../deployments/templates.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Deployment that became the origin of a project, with the numbers of copied configuration files and workspace files. */
export interface Origin {
  deployment: Deployment;
  objects: number;
  workspace_files: number;
}

/** Manages projects' origin deployments. */
@Injectable()
export class ProjectOriginsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsService,
    private readonly templates: TemplatesService,
    private readonly containers: ContainersService,
  ) {}

  /**
   * Makes a deployment the origin of a locked project. Replaces the agent configuration in the project's deployment scope, and
   * copies the other files to the workspace. Keeps existing files in the workspace.
   *
   * @param name handle or name of the deployment
   * @throws NotFound if the deployment does not exist
   * @throws Invalid if a project cannot use the configuration
   */
  async checkOut(tx: Tx, project: Project, name: string): Promise<Origin> {
    const { id, company_id, agent_config_id, workspace_id } = project;
    const deployment = await this.deployments.require(company_id, name, tx);
    const from = { company_id, container_id: deployment.container_id };
    await this.containers.lock(tx, company_id, agent_config_id, workspace_id);
    const { objects, config_digest } = await this.templates.copyConfig(tx, {
      from,
      to: { company_id, container_id: agent_config_id },
      names: AGENT_CONFIG_NAMES,
      requested: name,
    });
    const workspace_files = await this.templates.copyFiles(tx, from, { company_id, container_id: workspace_id });
    await tx.withRepository(this.projects).recordConfig(id, { config_digest, origin_deployment_id: deployment.id });
    return { deployment, objects, workspace_files };
  }
}
