import { Injectable } from '@nestjs/common';
import type { ContainerRef } from '../files/containers.service.js';
import { NotFound } from '../platform/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { SkillFiles } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import type { MountedSkill, Skill } from './skill.js';

const ownSet = ({ company_id, project_skills_id }: Project): ContainerRef => ({ company_id, container_id: project_skills_id });
const deploymentSet = ({ company_id, agent_config_id }: Project): ContainerRef => ({ company_id, container_id: agent_config_id });

/** Skills as a project has them: its own shadow those of its deployment scope, whole skill by whole skill. */
@Injectable()
export class ProjectSkillsService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly sets: SkillSetsService,
  ) {}

  /** What a turn would mount, by name. @throws NotFound */
  async list(company_id: string, projectId: string): Promise<MountedSkill[]> {
    return await this.mounted(await this.projects.require(company_id, projectId));
  }

  /** What a turn of this project mounts, by name. */
  async mounted(project: Project): Promise<MountedSkill[]> {
    const [own, deployment] = await Promise.all([this.sets.list(ownSet(project)), this.sets.list(deploymentSet(project))]);
    const byName = new Map<string, MountedSkill>();
    for (const skill of deployment) byName.set(skill.name, { ...skill, scope: 'deployment', shadows: false });
    for (const skill of own) byName.set(skill.name, { ...skill, scope: 'project', shadows: byName.has(skill.name) });
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The copy of a skill that a turn would mount. @throws NotFound */
  async get(company_id: string, projectId: string, name: string): Promise<MountedSkill> {
    const project = await this.projects.require(company_id, projectId);
    const [own, deployment] = await Promise.all([this.sets.find(ownSet(project), name), this.sets.find(deploymentSet(project), name)]);
    if (own !== undefined) return { ...own, scope: 'project', shadows: deployment !== undefined };
    if (deployment !== undefined) return { ...deployment, scope: 'deployment', shadows: false };
    throw new NotFound('Skill');
  }

  /** Creates or replaces one of the project's own skills. @throws NotFound @throws Invalid */
  async put(company_id: string, projectId: string, name: string, files: SkillFiles): Promise<Skill> {
    return await this.sets.put(ownSet(await this.projects.require(company_id, projectId)), name, files);
  }

  /** Removes the project's own copy; a deployment skill of the same name shows again. @throws NotFound */
  async delete(company_id: string, projectId: string, name: string): Promise<void> {
    await this.sets.delete(ownSet(await this.projects.require(company_id, projectId)), name);
  }
}
