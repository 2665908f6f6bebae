import { Injectable } from '@nestjs/common';
import { INSTRUCTIONS_FILE } from '../deployments/template.js';
import { TreeReader } from '../files/tree-reader.service.js';
import { Database } from '../platform/database/database.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectSkillsService } from './project-skills.service.js';
import { SkillSetsService } from './skill-sets.service.js';
import type { MountedSkill } from './skill.js';

/** What a turn of a project works with, as one moment had it. */
export interface MountedConfiguration {
  /** The project's AGENTS.md, or null when it has none. */
  instructions: string | null;
  /** By name; the project's own shadow those of its deployment scope. What their files are cannot change any more. */
  skills: MountedSkill[];
}

/** What turns mount of both scopes of a project. */
@Injectable()
export class MountsService {
  constructor(
    private readonly database: Database,
    private readonly reader: TreeReader,
    private readonly skills: ProjectSkillsService,
    private readonly sets: SkillSetsService,
  ) {}

  /** The configuration of this project as it is now. */
  async mount(project: Project): Promise<MountedConfiguration> {
    const { company_id, agent_config_id: container_id } = project;
    const { main, found } = await this.database.snapshot(async (tx) => ({
      main: await this.reader.find({ company_id, container_id }, INSTRUCTIONS_FILE, tx),
      found: await this.skills.mounted(tx, project),
    }));
    const [texts, skills] = await Promise.all([this.reader.readTexts(main ? [main] : []), this.sets.describe(found)]);
    return { instructions: texts.get(INSTRUCTIONS_FILE) ?? null, skills };
  }
}
