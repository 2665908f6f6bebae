import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  StringArrayField,
  StringField,
  StringMapField,
} from '../common/validation/fields.js';
import { MAX_SKILL_FILES } from '../deployments/template.js';
import type { EffectiveConfig } from './effective-config.service.js';
import type { EffectiveSkill, FullEffectiveSkill, Skill } from './skill.js';

/** Skill to summarize. Only the paths of its files are used. */
interface Summarized {
  name: string;
  description: string;
  files: ReadonlyMap<string, unknown>;
}

/** All files in a skill. */
export class SkillWriteRequest {
  @StringMapField({
    maxProperties: MAX_SKILL_FILES,
    description:
      'File texts by path relative to the skill’s own directory, including SKILL.md; at most 200 files, 1,000,000 ' +
      'bytes in total',
    example: {
      'SKILL.md':
        '---\nname: shift-rules\ndescription: How shifts are planned\n---\nNo shift is longer than ten hours.\n',
    },
  })
  files!: Map<string, string>;
}

/** Skill without its contents. */
export class SkillSummary {
  @StringField({ example: 'shift-rules' })
  name!: string;

  @StringField({ example: 'How shifts are planned' })
  description!: string;

  @StringArrayField({ description: 'Paths relative to the skill’s own directory', example: ['SKILL.md'] })
  files!: string[];

  static from({ name, description, files }: Summarized): SkillSummary {
    return { name, description, files: [...files.keys()] };
  }
}

/** A deployment's skills, sorted by name. */
export class SkillListResponse {
  @ObjectArrayField(() => SkillSummary)
  skills!: SkillSummary[];

  static from(skills: Summarized[]): SkillListResponse {
    return { skills: skills.map((skill) => SkillSummary.from(skill)) };
  }
}

/** Whole skill in a deployment. */
export class SkillDetail {
  @StringField({ example: 'shift-rules' })
  name!: string;

  @StringField()
  description!: string;

  @StringMapField({ description: 'File texts by path relative to the skill’s own directory' })
  files!: Record<string, string>;

  static from({ name, description, files }: Skill): SkillDetail {
    return { name, description, files: Object.fromEntries(files) };
  }
}

/** Copy of a skill that a turn in the project would mount. */
export class ProjectSkillDetail {
  @StringField({ example: 'shift-rules' })
  name!: string;

  @StringField()
  description!: string;

  @StringMapField({ description: 'File texts by path relative to the skill’s own directory' })
  files!: Record<string, string>;

  @EnumField(['project', 'deployment'], { optional: true, description: '`project` if the project has its own copy' })
  scope!: 'project' | 'deployment';

  @BooleanField({ description: 'Whether the skill shadows a deployment skill with this name' })
  shadows!: boolean;

  static from({ name, description, files, scope, shadows }: FullEffectiveSkill): ProjectSkillDetail {
    return { name, description, files: Object.fromEntries(files), scope, shadows };
  }
}

/** Mounted skill without its contents. */
export class ProjectSkillSummary extends SkillSummary {
  @EnumField(['project', 'deployment'], { description: '`project` if the project has its own copy' })
  scope!: 'project' | 'deployment';

  @BooleanField({ description: 'Whether the skill shadows a deployment skill with this name' })
  shadows!: boolean;

  static override from(skill: EffectiveSkill): ProjectSkillSummary {
    return { ...SkillSummary.from(skill), scope: skill.scope, shadows: skill.shadows };
  }
}

/** Skills that a turn in the project would mount, sorted by name. */
export class ProjectSkillListResponse {
  @ObjectArrayField(() => ProjectSkillSummary)
  skills!: ProjectSkillSummary[];

  static from(skills: EffectiveSkill[]): ProjectSkillListResponse {
    return { skills: skills.map((skill) => ProjectSkillSummary.from(skill)) };
  }
}

/** Request to replace a deployment's instructions. */
export class AgentInstructionsRequest {
  @StringField({
    minLength: 1,
    description: 'The whole AGENTS.md, at most 262,144 bytes',
    example: '# Instructions\nAsk for the demand first.\n',
  })
  content!: string;
}

export class AgentInstructionsResponse {
  @StringField({ description: 'The stored instructions' })
  content!: string;
}

/** Request to copy configuration from a deployment into the project's deployment scope. */
export class AgentConfigPullRequest {
  @StringField({
    optional: true,
    maxLength: 1_024,
    description: 'Handle or name. Defaults to the project’s origin deployment',
    example: 'production-planning',
  })
  from_deployment?: string;

  @BooleanField({ default: true })
  instructions!: boolean;

  @BooleanField({ default: true })
  skills!: boolean;
}

export class AgentConfigPullResponse {
  @StringField({ optional: true, description: 'Handle of the deployment' })
  from_deployment!: string;

  @IntegerField({ optional: true, description: 'Number of files copied' })
  objects!: number;
}

/** Configuration that a turn in the project would mount. */
export class AgentConfigResponse {
  @StringField({ nullable: true, description: 'The project’s AGENTS.md; null if it has no instructions' })
  instructions!: string | null;

  @ObjectArrayField(() => ProjectSkillSummary)
  skills!: ProjectSkillSummary[];

  static from({ instructions, skills }: EffectiveConfig): AgentConfigResponse {
    return { instructions, skills: skills.map((skill) => ProjectSkillSummary.from(skill)) };
  }
}

/** Request to make a deployment the origin of a project. */
export class CheckoutRequest {
  @StringField({ maxLength: 1_024, description: 'Handle or name of the deployment', example: 'production-planning' })
  from_deployment!: string;
}

export class CheckoutResponse {
  @StringField({ description: 'Handle of the deployment, which is now the project’s origin' })
  from_deployment!: string;

  @IntegerField({ description: 'Number of instruction and skill files copied' })
  objects!: number;

  @IntegerField({ description: 'Number of template files copied into the workspace; existing files are kept' })
  workspace_files!: number;
}
