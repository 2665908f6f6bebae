import type { SkillFiles } from './skill-files.js';

/** A named set of text files. */
export interface Skill {
  name: string;
  description: string;
  files: SkillFiles;
}

/** A skill as a turn of a project would see it. */
export interface MountedSkill extends Skill {
  scope: 'project' | 'deployment';
  /** Whether the project's copy hides one of the deployment. */
  shadows: boolean;
}
