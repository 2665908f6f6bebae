import type { Page } from '../common/listing/page.js';
import { nextPage } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import { DateTimeField, EnumField, ObjectArrayField, StringField } from '../common/validation/fields.js';
import { PROJECT_ROLES, type ProjectRole } from './project-member.entity.js';
import type { MemberRow } from './project-members.repository.js';

const ROLE = '`viewer` can read the project, `editor` can also change its contents, `owner` can also manage it';

/** Request to set a user's role. */
export class ProjectMemberRequest {
  @EnumField(PROJECT_ROLES, { description: ROLE })
  role!: ProjectRole;
}

/** User with a role in a project. */
export class ProjectMemberResponse {
  @StringField()
  user_id!: string;

  @StringField()
  display_name!: string;

  @StringField({ nullable: true })
  email!: string | null;

  @StringField({ nullable: true })
  avatar_url!: string | null;

  @EnumField(PROJECT_ROLES, { description: ROLE })
  role!: ProjectRole;

  @DateTimeField()
  added_at!: Date;

  static from({ user_id, display_name, email, avatar_url, role, added_at }: MemberRow): ProjectMemberResponse {
    return { user_id, display_name, email, avatar_url, role, added_at };
  }
}

/** Members of a project, in the order in which they were added. */
export class ProjectMemberListResponse extends WalkResponse {
  @ObjectArrayField(() => ProjectMemberResponse)
  members!: ProjectMemberResponse[];

  static from({ rows, total }: Page<MemberRow>, query: WalkQuery): ProjectMemberListResponse {
    const { limit, offset } = query;
    const next = nextPage(
      'members',
      query,
      rows.map((row) => row.user_id),
    );
    return { members: rows.map((row) => ProjectMemberResponse.from(row)), limit, offset, total, ...next };
  }
}
