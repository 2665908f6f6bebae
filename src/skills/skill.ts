import { entityTag } from '../common/etag/entity-tag.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import type { SkillFiles } from './skill-files.js';

/**
 * Skill in a tree, with its files by path relative to its directory. The contents have not been read yet, and are immutable.
 */
export interface SkillTree {
  name: string;
  files: ReadonlyMap<string, TreeFile>;
}

/** Skill with its catalogue description. */
export interface DescribedSkill extends SkillTree {
  description: string;
}

/** Whole skill, including the contents of its files. */
export interface Skill {
  name: string;
  description: string;
  files: SkillFiles;
}

/** Scope that a project's skill comes from. */
export interface SkillOrigin {
  scope: 'project' | 'deployment';
  /** Whether the project's own copy shadows a deployment skill. */
  shadows: boolean;
}

/** Skill as seen by a turn in a project. */
export type EffectiveSkill = DescribedSkill & SkillOrigin;

/** Skill as seen by a turn in a project, including the contents of its files. */
export type FullEffectiveSkill = Skill & SkillOrigin;

/** Returns the entity tag of a skill. Paths and blob ids are sufficient, because contents are immutable. */
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
