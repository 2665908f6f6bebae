import { Injectable } from '@nestjs/common';
import { INSTRUCTIONS_FILE, SKILLS_FOLDER } from '../deployments/template.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import { entityTag, type ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import type { Project } from '../projects/project.entity.js';
import { winners } from './shadowing.js';
import { skillsAmong } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import { type EffectiveSkill, type SkillTree, type SkillOrigin, skillTag } from './skill.js';

/** Configuration for a turn, read from a single snapshot. */
export interface EffectiveConfig {
  /** The project's AGENTS.md. Null if the project has no AGENTS.md. */
  instructions: string | null;
  /** Skills sorted by name. The project's own skills shadow the skills in its deployment scope. File contents are immutable. */
  skills: EffectiveSkill[];
}

/** Files of a configuration. Their contents have not been read. */
interface ConfigFiles {
  /** The instructions file, or an empty array. */
  atRoot: TreeFile[];
  skills: (SkillTree & SkillOrigin)[];
}

/** Resolves the configuration for a turn from the project's own scope and its deployment scope. */
@Injectable()
export class EffectiveConfigService {
  constructor(
    private readonly reader: FileTreeReaderService,
    private readonly sets: SkillSetsService,
  ) {}

  /** Returns a project's current configuration. */
  async resolve(project: Project): Promise<EffectiveConfig> {
    return await this.read(await this.find(project));
  }

  /** Returns the current configuration, unless the caller already has it. */
  async show(project: Project, clientTags: ClientTags): Promise<Tagged<EffectiveConfig>> {
    const files = await this.find(project);
    // The tag contains no descriptions, because they depend only on the files.
    const skills = files.skills.map((skill) => skillTag(skill, skill));
    const tag = entityTag('agent-config', ...files.atRoot.map(({ blob_id }) => blob_id), null, ...skills);
    return clientTags.has(tag) ? Tagged.unchanged(tag) : Tagged.of(tag, await this.read(files));
  }

  private async find(project: Project): Promise<ConfigFiles> {
    const { company_id, agent_config_id, project_skills_id } = project;
    const [atRoot = [], own = [], deployment = []] = await this.reader.filesOf(company_id, [
      [agent_config_id, INSTRUCTIONS_FILE],
      [project_skills_id, SKILLS_FOLDER],
      [agent_config_id, SKILLS_FOLDER],
    ]);
    return {
      atRoot: atRoot.filter(({ path }) => path === INSTRUCTIONS_FILE),
      skills: winners(skillsAmong(own), skillsAmong(deployment)),
    };
  }

  private async read({ atRoot, skills: trees }: ConfigFiles): Promise<EffectiveConfig> {
    const [texts, skills] = await Promise.all([this.reader.readTexts(atRoot), this.sets.describe(trees)]);
    return { instructions: texts.get(INSTRUCTIONS_FILE) ?? null, skills };
  }
}
