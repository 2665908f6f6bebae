import type { Tx } from '../platform/database/database.js';
import type { Page } from '../platform/listing/page.js';
import type { Project } from './project.entity.js';
import type { ProjectCreator, ProjectQuery } from './projects.dto.js';

/** A project with what is shown of its creator and origin. */
export type ProjectDetails = Omit<Project, 'created_by'> & {
  created_by: ProjectCreator | null;
  origin_deployment_handle: string | null;
};

export type ProjectSummaryRow = ProjectDetails & { status: 'solving' | 'working' | 'idle' };

const CREATOR = `
  CASE WHEN u.id IS NOT NULL
       THEN jsonb_build_object('display_name', u.display_name, 'id', u.id, 'avatar_url', u.avatar_url) END AS created_by`;

/** The project with creator and origin; undefined when the company has none of this id. */
export async function findDetails(tx: Tx, company_id: string, project_id: string): Promise<ProjectDetails | undefined> {
  const [project]: ProjectDetails[] = await tx.query(
    `SELECT p.*, ${CREATOR}, d.handle AS origin_deployment_handle
       FROM projects p
       LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
       LEFT JOIN deployments d ON d.company_id = p.company_id AND d.id = p.origin_deployment_id
      WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL`,
    [company_id, project_id],
  );
  return project;
}

/** A page of the company's projects, last changed first, with the exact number of all that match. */
export async function findSummaries(tx: Tx, company_id: string, query: ProjectQuery): Promise<Page<ProjectSummaryRow>> {
  const matching = `p.company_id = $1 AND p.deleted_at IS NULL
    AND ($2::text IS NULL OR strpos(lower(p.name), lower($2)) > 0)
    AND ($3::text IS NULL OR p.workspace_mode = $3)`;
  const filter = [company_id, query.q ?? null, query.workspace_mode ?? null];
  const rows: ProjectSummaryRow[] = await tx.query(
    `SELECT p.*, ${CREATOR},
            CASE WHEN p.active_solves > 0 THEN 'solving' WHEN p.active_turns > 0 THEN 'working' ELSE 'idle' END AS status
       FROM projects p
       LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
      WHERE ${matching}
      ORDER BY p.updated_at DESC, p.id DESC LIMIT $4 OFFSET $5`,
    [...filter, query.limit, query.offset],
  );
  const [counted]: { total: number }[] = await tx.query(
    `SELECT count(*) AS total FROM projects p WHERE ${matching}`,
    filter,
  );
  return { rows, total: counted?.total ?? 0 };
}
