import { entityTag } from '../common/etag/entity-tag.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import type { SkillFiles } from './skill-files.js';

/** A skill as a tree has it, by path relative to its directory. The contents are unread and never change. */
export interface FoundSkill {
  name: string;
  files: ReadonlyMap<string, TreeFile>;
}

/** A skill as a catalogue shows it. */
export interface DescribedSkill extends FoundSkill {
  description: string;
}

/** A whole skill, with the text of each file. */
export interface Skill {
  name: string;
  description: string;
  files: SkillFiles;
}

/** Where a project has a skill from. */
export interface SkillOrigin {
  scope: 'project' | 'deployment';
  /** Whether the project's copy hides one of the deployment. */
  shadows: boolean;
}

/** A skill as a turn of a project would see it. */
export type EffectiveSkill = DescribedSkill & SkillOrigin;

/** The same with its texts. */
export type FullEffectiveSkill = Skill & SkillOrigin;

/** The entity tag of a skill: each content of its files has an id of its own, and never changes. */
export const skillTag = (
  { name, files }: { name: string; files: ReadonlyMap<string, { blob_id: string }> },
  origin?: SkillOrigin,
): string =>
  entityTag(
    'skill',
    name,
    origin?.scope ?? null,
    origin?.shadows ?? null,
    ...[...files].map(([path, { blob_id }]) => `${path}/${blob_id}`).sort(),
  );
