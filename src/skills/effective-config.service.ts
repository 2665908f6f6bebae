import { Injectable } from '@nestjs/common';
import { INSTRUCTIONS_FILE, SKILLS_FOLDER } from '../deployments/template.js';
import { FileTreeReader } from '../files/tree/file-tree-reader.service.js';
import type { Project } from '../projects/project.entity.js';
import { winners } from './shadowing.js';
import { skillsAmong } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import type { EffectiveSkill } from './skill.js';

/** What a turn of a project works with, as one moment had it. */
export interface EffectiveConfig {
  /** The project's AGENTS.md, or null when it has none. */
  instructions: string | null;
  /** By name; the project's own shadow those of its deployment scope. What their files are cannot change any more. */
  skills: EffectiveSkill[];
}

/** Resolves what a turn of a project works with, from both of its scopes. */
@Injectable()
export class EffectiveConfigService {
  constructor(
    private readonly reader: FileTreeReader,
    private readonly sets: SkillSetsService,
  ) {}

  /** The configuration of this project as it is now. */
  async resolve(project: Project): Promise<EffectiveConfig> {
    const { company_id, agent_config_id, project_skills_id } = project;
    const [atRoot = [], own = [], deployment = []] = await this.reader.filesOf(company_id, [
      [agent_config_id, INSTRUCTIONS_FILE],
      [project_skills_id, SKILLS_FOLDER],
      [agent_config_id, SKILLS_FOLDER],
    ]);
    const [texts, skills] = await Promise.all([
      this.reader.readTexts(atRoot.filter(({ path }) => path === INSTRUCTIONS_FILE)),
      this.sets.describe(winners(skillsAmong(own), skillsAmong(deployment))),
    ]);
    return { instructions: texts.get(INSTRUCTIONS_FILE) ?? null, skills };
  }
}
