import { entityTag } from '../common/etag/entity-tag.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import type { SkillFiles } from './skill-files.js';

/** Skill in a tree, with files by path relative to its directory. Contents are unread and never change. */
export interface SkillTree {
  name: string;
  files: ReadonlyMap<string, TreeFile>;
}

/** Skill with its catalogue description. */
export interface DescribedSkill extends SkillTree {
  description: string;
}

/** Whole skill, with the text of each file. */
export interface Skill {
  name: string;
  description: string;
  files: SkillFiles;
}

/** Scope where a project's skill comes from. */
export interface SkillOrigin {
  scope: 'project' | 'deployment';
  /** Whether the project's copy hides a skill of the deployment. */
  shadows: boolean;
}

/** Skill as seen by a turn of a project. */
export type EffectiveSkill = DescribedSkill & SkillOrigin;

/** Skill as seen by a turn of a project, with the texts of its files. */
export type FullEffectiveSkill = Skill & SkillOrigin;

/** Returns the entity tag of a skill. Paths and blob ids are sufficient because contents never change. */
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
