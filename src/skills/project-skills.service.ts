import { Injectable } from '@nestjs/common';
import { SKILLS_FOLDER } from '../deployments/template.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { FileTreeReader } from '../files/tree/file-tree-reader.service.js';
import { Database } from '../platform/database/database.service.js';
import { NotFound } from '../platform/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { describeSkill } from './description.js';
import { winner, winners } from './shadowing.js';
import { checkSkill, SKILL_FILE, type SkillFiles, skillsAmong } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import type { EffectiveSkill, FullEffectiveSkill, Skill } from './skill.js';
import type { ProjectEditor, ProjectReader } from '../projects/project-access.js';

const ownSet = (project: Project): ContainerRef => ({
  company_id: project.company_id,
  container_id: project.project_skills_id,
});
const deploymentSet = (project: Project): ContainerRef => ({
  company_id: project.company_id,
  container_id: project.agent_config_id,
});

/** Skills as a project has them: its own shadow those of its deployment scope, whole skill by whole skill. */
@Injectable()
export class ProjectSkillsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly sets: SkillSetsService,
    private readonly reader: FileTreeReader,
  ) {}

  /** What a turn would mount, by name. @throws NotFound */
  async list(reader: ProjectReader, projectId: string): Promise<EffectiveSkill[]> {
    const { project_skills_id, agent_config_id } = await this.projects.require(reader, projectId);
    const [own = [], deployment = []] = await this.reader.filesOf(reader.company_id, [
      [project_skills_id, SKILLS_FOLDER],
      [agent_config_id, SKILLS_FOLDER],
    ]);
    return await this.sets.describe(winners(skillsAmong(own), skillsAmong(deployment)));
  }

  /** The copy of a skill that a turn would mount. @throws NotFound */
  async get(reader: ProjectReader, projectId: string, name: string): Promise<FullEffectiveSkill> {
    const project = await this.projects.require(reader, projectId);
    const [own, deployment] = await this.database.snapshot(async (tx) => [
      await this.sets.find(ownSet(project), name, tx),
      await this.sets.find(deploymentSet(project), name, tx),
    ]);
    const skill = winner(own, deployment);
    if (skill === undefined) throw new NotFound('Skill');
    const { scope, shadows } = skill;
    return { ...(await this.sets.read(skill)), scope, shadows };
  }

  /** Creates or replaces one of the project's own skills. @throws NotFound @throws Invalid */
  async put(editor: ProjectEditor, projectId: string, name: string, given: SkillFiles): Promise<Skill> {
    const files = checkSkill(name, given);
    await this.projects.require(editor, projectId);
    const stored = await this.sets.store(editor.company_id, files);
    await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      await this.sets.replace(tx, ownSet(project), name, stored);
      await tx.withRepository(this.projects).adjust(project.id, {});
    });
    return { name, description: describeSkill(files.get(SKILL_FILE) ?? ''), files };
  }

  /** Removes the project's own copy; a deployment skill of the same name shows again. @throws NotFound */
  async delete(editor: ProjectEditor, projectId: string, name: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      await this.sets.remove(tx, ownSet(project), name);
      await tx.withRepository(this.projects).adjust(project.id, {});
    });
  }
}
