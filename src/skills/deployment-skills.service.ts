import { Injectable } from '@nestjs/common';
import { DeploymentsService } from '../deployments/deployments.service.js';
import type { ContainerRef } from '../files/containers.service.js';
import { NotFound } from '../platform/errors/errors.js';
import type { SkillFiles } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import type { Skill } from './skill.js';

/** Skills of deployments. */
@Injectable()
export class DeploymentSkillsService {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly sets: SkillSetsService,
  ) {}

  /** All skills of a deployment, by name. @throws NotFound */
  async list(company_id: string, deployment: string): Promise<Skill[]> {
    return await this.sets.list(await this.setOf(company_id, deployment));
  }

  /** @throws NotFound */
  async get(company_id: string, deployment: string, name: string): Promise<Skill> {
    const skill = await this.sets.find(await this.setOf(company_id, deployment), name);
    if (skill === undefined) throw new NotFound('Skill');
    return skill;
  }

  /** Creates or replaces a skill; projects see it when they pull. @throws NotFound @throws Invalid */
  async put(company_id: string, deployment: string, name: string, files: SkillFiles): Promise<Skill> {
    return await this.sets.put(await this.setOf(company_id, deployment), name, files);
  }

  /** @throws NotFound */
  async delete(company_id: string, deployment: string, name: string): Promise<void> {
    await this.sets.delete(await this.setOf(company_id, deployment), name);
  }

  private async setOf(company_id: string, deployment: string): Promise<ContainerRef> {
    const { container_id } = await this.deployments.require(company_id, deployment);
    return { company_id, container_id };
  }
}
