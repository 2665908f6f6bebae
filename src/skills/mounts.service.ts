import { Injectable } from '@nestjs/common';
import type { Project } from '../projects/project.entity.js';
import { InstructionsService } from './instructions.service.js';
import { ProjectSkillsService } from './project-skills.service.js';
import type { MountedSkill } from './skill.js';

/** What a turn of a project works with. */
export interface MountedConfiguration {
  /** The project's AGENTS.md, or null when it has none. */
  instructions: string | null;
  /** By name; the project's own shadow those of its deployment scope. */
  skills: MountedSkill[];
}

/** What turns mount of both scopes of a project. */
@Injectable()
export class MountsService {
  constructor(
    private readonly instructions: InstructionsService,
    private readonly skills: ProjectSkillsService,
  ) {}

  /** The configuration of this project as it is now. */
  async mount(project: Project): Promise<MountedConfiguration> {
    const { company_id, agent_config_id: container_id } = project;
    const [instructions, skills] = await Promise.all([
      this.instructions.read({ company_id, container_id }),
      this.skills.mounted(project),
    ]);
    return { instructions, skills };
  }
}
