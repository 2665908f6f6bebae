import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { SKILLS_FOLDER } from '../deployments/template.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { NotFound } from '../common/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { describeSkill } from './description.js';
import { winner, winners } from './shadowing.js';
import { checkSkill, SKILL_FILE, type SkillFiles, skillsAmong } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import {
  type EffectiveSkill,
  type SkillTree,
  type FullEffectiveSkill,
  type Skill,
  type SkillOrigin,
  skillTag,
} from './skill.js';
import type { ProjectEditor, ProjectReader } from '../projects/project-access.js';

const ownSet = (project: Project): ContainerRef => ({
  company_id: project.company_id,
  container_id: project.project_skills_id,
});
const deploymentSet = (project: Project): ContainerRef => ({
  company_id: project.company_id,
  container_id: project.agent_config_id,
});

/**
 * Manages projects' skills. A project's own skill shadows the skill with the same name in its deployment scope, including all
 * files of that skill.
 */
@Injectable()
export class ProjectSkillsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly sets: SkillSetsService,
    private readonly reader: FileTreeReaderService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Returns the skills that a turn would mount, sorted by name.
   * @throws NotFound
   */
  async list(reader: ProjectReader, projectId: string): Promise<EffectiveSkill[]> {
    const { project_skills_id, agent_config_id } = await this.projects.require(reader, projectId);
    const [own = [], deployment = []] = await this.reader.filesOf(reader.company_id, [
      [project_skills_id, SKILLS_FOLDER],
      [agent_config_id, SKILLS_FOLDER],
    ]);
    return await this.sets.describe(winners(skillsAmong(own), skillsAmong(deployment)));
  }

  /**
   * Returns the copy of a skill that a turn would mount, unless the caller already has its current version.
   * @throws NotFound
   */
  async get(
    reader: ProjectReader,
    projectId: string,
    name: string,
    clientTags: ClientTags,
  ): Promise<Tagged<FullEffectiveSkill>> {
    const project = await this.projects.require(reader, projectId);
    const skill = await this.database.snapshot((tx) => this.find(tx, project, name));
    if (skill === undefined) throw new NotFound('Skill');
    const tag = skillTag(skill, skill);
    if (clientTags.has(tag)) return Tagged.unchanged(tag);
    const { scope, shadows } = skill;
    return Tagged.of(tag, { ...(await this.sets.read(skill)), scope, shadows });
  }

  /**
   * Creates or replaces a skill in the project's own scope.
   * @throws NotFound
   * @throws Invalid
   * @throws PreconditionFailed
   */
  async put(
    editor: ProjectEditor,
    projectId: string,
    name: string,
    input: SkillFiles,
    expected: ExpectedTags,
  ): Promise<Tagged<Skill>> {
    const files = checkSkill(name, input);
    await this.projects.require(editor, projectId);
    const stored = await this.sets.store(editor.company_id, files);
    const tag = await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      await assertExpected(expected, () => this.tagOfOwn(tx, project, name));
      await this.sets.replace(tx, ownSet(project), name, stored);
      await tx.withRepository(this.projects).adjust(project.id, {});
      this.events.by(tx, editor.caller);
      this.events.note(tx, project.id, 'config.changed', { skill: name });
      const shadows = (await this.sets.find(deploymentSet(project), name, tx)) !== undefined;
      return skillTag({ name, files: stored }, { scope: 'project', shadows });
    });
    return Tagged.of(tag, { name, description: describeSkill(files.get(SKILL_FILE) ?? ''), files });
  }

  /**
   * Removes the project's own copy of a skill. A deployment skill with the same name becomes visible again.
   *
   * @throws NotFound
   * @throws PreconditionFailed
   */
  async delete(editor: ProjectEditor, projectId: string, name: string, expected: ExpectedTags): Promise<void> {
    await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      await assertExpected(expected, async () => {
        const tag = await this.tagOfOwn(tx, project, name);
        if (tag === undefined) throw new NotFound('Skill');
        return tag;
      });
      await this.sets.remove(tx, ownSet(project), name);
      await tx.withRepository(this.projects).adjust(project.id, {});
      this.events.by(tx, editor.caller);
      this.events.note(tx, project.id, 'config.changed', { skill: name });
    });
  }

  /** Returns the copy of a skill that a turn would mount, without reading its contents. */
  private async find(tx: Tx, project: Project, name: string): Promise<(SkillTree & SkillOrigin) | undefined> {
    const own = await this.sets.find(ownSet(project), name, tx);
    return winner(own, await this.sets.find(deploymentSet(project), name, tx));
  }

  /** Returns the entity tag of a locked project's own copy of a skill, or undefined if it has no copy. */
  private async tagOfOwn(tx: Tx, project: Project, name: string): Promise<string | undefined> {
    const skill = await this.find(tx, project, name);
    return skill?.scope === 'project' ? skillTag(skill, skill) : undefined;
  }
}
