import type { ProjectId } from '../database/checked-id.js';
import { EntityRepository } from '../database/entity-repository.js';
import { NotFound } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import { walkStart } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { ProjectMember } from './project-member.entity.js';

/** Member with the user's profile. */
export type MemberRow = Pick<ProjectMember, 'user_id' | 'role' | 'added_at'> & {
  display_name: string;
  email: string | null;
  avatar_url: string | null;
};

const MEMBER_ROWS = `
  SELECT m.user_id, m.role, m.added_at, u.display_name, u.email, u.avatar_url
    FROM project_members m JOIN users u ON u.company_id = m.company_id AND u.id = m.user_id
   WHERE m.project_id = $1`;

/**
 * Stores project members. The caller must have locked the project before changing them. Otherwise concurrent changes could
 * remove all owners.
 */
export class ProjectMembersRepository extends EntityRepository(ProjectMember) {
  /** Returns a page of a project's members, in the order in which they were added. */
  async page(project_id: ProjectId, page: WalkQuery): Promise<Page<MemberRow>> {
    const { limit, offset } = page;
    const start = walkStart('members', page, (key) => !key.includes('\0'));
    const rows: MemberRow[] = await this.query(
      start === undefined
        ? `${MEMBER_ROWS} ORDER BY m.added_at, m.user_id LIMIT $2 OFFSET $3`
        : `${MEMBER_ROWS} AND m.user_id > $3 ORDER BY m.user_id LIMIT $2`,
      [project_id, limit, start === undefined ? offset : (start ?? '')],
    );
    return { rows, total: await this.countBy({ project_id }) };
  }

  /**
   * Returns a member in the format of {@link page}.
   * @throws NotFound
   */
  async row(project_id: ProjectId, user_id: string): Promise<MemberRow> {
    const [row]: MemberRow[] = await this.query(`${MEMBER_ROWS} AND m.user_id = $2`, [project_id, user_id]);
    if (row === undefined) throw new NotFound('Member');
    return row;
  }

  /** Adds a member or changes the member's role. */
  async put({ project_id, company_id, user_id, role }: Omit<ProjectMember, 'added_at'>): Promise<void> {
    await this.query(
      `INSERT INTO project_members (project_id, company_id, user_id, role) VALUES ($1, $2, $3, $4)
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [project_id, company_id, user_id, role],
    );
  }
}
