import { creationPosition } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectArrayField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringField,
} from '../common/validation/fields.js';
import { CompletenessResponse } from './canvas/canvas.dto.js';
import {
  PROJECT_STATUSES,
  type ProjectStatus,
  VISIBILITIES,
  type Visibility,
  WORKSPACE_MODES,
  type WorkspaceMode,
} from './project.entity.js';
import { PROJECT_ROLES, type ProjectRole } from './project-member.entity.js';
import type { Creator, ListedProject, ProjectDetails } from './project-views.repository.js';

const COMPONENTS = 'Objectives on the canvas. Contains only the first objectives if the list would exceed 16,384 bytes';
const VISIBILITY =
  '`company`: everyone in the company can edit the project. `private`: only its members and company-level callers can see it';
const description = { nullable: true, optional: true, maxLength: 20_000 };

/** Page and filter for the project listing. */
export class ProjectQuery extends WalkQuery {
  @StringField({
    optional: true,
    extension: true,
    maxLength: 1_024,
    description: 'Substring of the name, case-insensitive',
  })
  q?: string;

  @EnumField(WORKSPACE_MODES, { optional: true, extension: true })
  workspace_mode?: WorkspaceMode;

  @StringField({
    optional: true,
    extension: true,
    maxLength: 1_024,
    description: 'Returns only projects created by this user: `me` or a user id. For an API key, `me` is its creator',
  })
  created_by?: string;

  @EnumField(VISIBILITIES, { optional: true, extension: true })
  visibility?: Visibility;

  @EnumField(PROJECT_STATUSES, { optional: true, extension: true })
  status?: ProjectStatus;

  @BooleanField({
    default: false,
    extension: true,
    description: 'If true, returns the deleted projects that can be restored, most recently deleted first',
  })
  deleted!: boolean;
}

export class ProjectCreateRequest {
  @StringField({ minLength: 1, maxLength: 100, example: 'Weekly production plan' })
  name!: string;

  @StringField(description)
  description?: string | null;

  @StringField(description)
  short_description?: string | null;

  @StringField({
    nullable: true,
    optional: true,
    maxLength: 1_024,
    description: 'Handle or name of the deployment to start from',
  })
  from_deployment?: string | null;

  @EnumField(WORKSPACE_MODES, { default: 'define' })
  workspace_mode!: WorkspaceMode;

  @EnumField(VISIBILITIES, { default: 'company', description: VISIBILITY })
  visibility!: Visibility;
}

/** Change to a project. Absent fields are unchanged. Null clears a description, and leaves name and mode unchanged. */
export class ProjectUpdate {
  @StringField({ nullable: true, optional: true, minLength: 1, maxLength: 100, example: 'Weekly production plan' })
  name?: string | null;

  @StringField(description)
  description?: string | null;

  @StringField(description)
  short_description?: string | null;

  @EnumField(WORKSPACE_MODES, { nullable: true, optional: true, description: 'Changing to `run` takes a snapshot' })
  workspace_mode?: WorkspaceMode | null;

  @EnumField(VISIBILITIES, {
    nullable: true,
    optional: true,
    extension: true,
    description: 'Can be changed only by project owners and company-level callers',
  })
  visibility?: Visibility | null;
}

export class ProjectCreator {
  @StringField()
  display_name!: string;

  @StringField()
  id!: string;

  @StringField({ nullable: true, optional: true })
  avatar_url!: string | null;

  /** Returns null if the creator is unknown. */
  static of({ created_by, creator_name, creator_avatar_url }: Creator): ProjectCreator | null {
    if (created_by === null || creator_name === null) return null;
    return { id: created_by, avatar_url: creator_avatar_url, display_name: creator_name };
  }
}

/** Project without its contents. */
export class ProjectResponse {
  @StringField()
  id!: string;

  @StringField()
  name!: string;

  @StringField({ nullable: true })
  description!: string | null;

  @StringField({ nullable: true })
  short_description!: string | null;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  @ObjectField(() => ProjectCreator, { nullable: true, optional: true })
  created_by!: ProjectCreator | null;

  @ObjectField(() => CompletenessResponse, { optional: true })
  completeness!: CompletenessResponse;

  @StringField({ nullable: true, optional: true, description: 'Snapshot that solves use in run mode' })
  current_snapshot_id!: string | null;

  @FreeObjectArrayField({ default: [], description: COMPONENTS })
  objective_components!: Record<string, unknown>[];

  @BooleanField({ default: false })
  objective_confirmed!: boolean;

  @StringField({ nullable: true, optional: true })
  objective_description!: string | null;

  @StringField({ nullable: true, optional: true })
  objective_type!: string | null;

  @StringField({ nullable: true, optional: true, description: 'Deployment that the project was created from' })
  origin_deployment_handle!: string | null;

  @StringField({ nullable: true, optional: true, description: '`ready` once run mode has a snapshot' })
  run_setup_status!: string | null;

  @NumberField({ default: 0, description: 'Credits spent in the project' })
  total_credits!: number;

  @EnumField(WORKSPACE_MODES, { default: 'define' })
  workspace_mode!: WorkspaceMode;

  @StringField({
    extension: true,
    description: 'Hash of the copied instructions and skills. Equals the deployment’s hash if the copy is up to date',
  })
  config_digest!: string;

  @EnumField(VISIBILITIES, { extension: true, description: VISIBILITY })
  visibility!: Visibility;

  @EnumField(PROJECT_ROLES, { extension: true, description: 'The caller’s role in the project' })
  role!: ProjectRole;

  static from(project: ProjectDetails): ProjectResponse {
    return {
      id: project.id,
      name: project.name,
      description: project.description,
      short_description: project.short_description,
      created_at: project.created_at,
      updated_at: project.updated_at,
      created_by: ProjectCreator.of(project),
      completeness: CompletenessResponse.from(project),
      current_snapshot_id: project.current_snapshot_id,
      objective_components: project.objective_components,
      objective_confirmed: project.objective_confirmed,
      objective_description: project.objective_description,
      objective_type: project.objective_type,
      origin_deployment_handle: project.origin_deployment_handle,
      run_setup_status: project.run_setup_status,
      total_credits: project.total_credits,
      workspace_mode: project.workspace_mode,
      config_digest: project.config_digest,
      visibility: project.visibility,
      role: project.role,
    };
  }
}

/** Project in a listing. */
export class ProjectSummary {
  @StringField()
  id!: string;

  @StringField()
  name!: string;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  @ObjectField(() => ProjectCreator, { nullable: true, optional: true })
  created_by!: ProjectCreator | null;

  @IntegerField({ optional: true })
  card_count!: number;

  @ObjectField(() => CompletenessResponse, { optional: true })
  completeness!: CompletenessResponse;

  @FreeObjectArrayField({ optional: true, description: COMPONENTS })
  objective_components!: Record<string, unknown>[];

  @BooleanField({ optional: true })
  objective_confirmed!: boolean;

  @StringField({
    optional: true,
    description: '`solving`, `working` (the agent is answering) or `idle`',
    example: 'idle',
  })
  status!: string;

  @NumberField({ optional: true })
  total_credits!: number;

  @StringField({ optional: true, example: 'define' })
  workspace_mode!: string;

  @EnumField(VISIBILITIES, { extension: true })
  visibility!: Visibility;

  @DateTimeField({ nullable: true, extension: true, description: 'Deletion time; null if not deleted' })
  deleted_at!: Date | null;

  static from(project: ListedProject): ProjectSummary {
    return {
      id: project.id,
      name: project.name,
      created_at: project.created_at,
      updated_at: project.updated_at,
      created_by: ProjectCreator.of(project),
      card_count: project.card_count,
      completeness: CompletenessResponse.from(project),
      objective_components: project.objective_components,
      objective_confirmed: project.objective_confirmed,
      status: project.status,
      total_credits: project.total_credits,
      workspace_mode: project.workspace_mode,
      visibility: project.visibility,
      deleted_at: project.deleted_at,
    };
  }
}

/** Projects that the caller can see, most recently changed first. */
export class ProjectSummaryListResponse extends WalkResponse {
  @ObjectArrayField(() => ProjectSummary)
  projects!: ProjectSummary[];

  static from(page: Page<ListedProject>, query: WalkQuery): ProjectSummaryListResponse {
    const projects = page.rows.map((row) => ProjectSummary.from(row));
    return { projects, ...creationPosition('projects', page, query) };
  }
}
