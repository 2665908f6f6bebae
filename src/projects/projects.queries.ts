import type { Tx } from '../platform/database/database.js';
import { type JsonPage, readJsonPage } from '../platform/listing/json-page.js';
import type { Project } from './project.entity.js';
import type { ProjectCreator, ProjectQuery } from './projects.dto.js';

const DETAILS = [
  ...(['id', 'name', 'description', 'short_description', 'created_at', 'updated_at', 'current_snapshot_id'] as const),
  ...(['objective_components', 'objective_confirmed', 'objective_description', 'objective_type'] as const),
  ...(['run_setup_status', 'total_credits', 'workspace_mode', 'config_digest'] as const),
  ...(['all_constraints_classified', 'all_variables_provided', 'data_available', 'kpis_defined'] as const),
  ...(['objective_drafted', 'objectives_defined', 'production_requirements_defined', 'feasibility_result'] as const),
  'overall',
] as const satisfies (keyof Project)[];

/** What is shown of a project, of its creator and of its origin. */
export type ProjectDetails = Pick<Project, (typeof DETAILS)[number]> & {
  created_by: ProjectCreator | null;
  origin_deployment_handle: string | null;
};

/** SQL of the id of a company's project, null when it has none of this id: for reads of the modules above. */
export const projectOf = (company: string, project: string): string =>
  `(SELECT id FROM projects WHERE company_id = ${company} AND id = ${project} AND deleted_at IS NULL)`;

/** SQL that adds to the counters of a project, sets the result where one is given, and marks it as changed now; each argument is SQL. */
export const adjustProject = (
  project_id: string,
  {
    active_turns = '0',
    active_solves = '0',
    credits = '0',
    feasibility_result = 'NULL',
  }: Partial<Record<'active_turns' | 'active_solves' | 'credits' | 'feasibility_result', string>>,
): string => `
  UPDATE projects
     SET active_turns = active_turns + ${active_turns}, active_solves = active_solves + ${active_solves},
         total_credits = total_credits + ${credits},
         feasibility_result = coalesce(${feasibility_result}::text, feasibility_result), updated_at = now()
   WHERE id = ${project_id}`;

const CREATOR = `
  CASE WHEN u.id IS NOT NULL
       THEN jsonb_build_object('display_name', u.display_name, 'id', u.id, 'avatar_url', u.avatar_url) END AS created_by`;

const COMPLETENESS = `
  (SELECT checklist FROM (
     SELECT p.all_constraints_classified, p.all_variables_provided, p.data_available, p.kpis_defined, p.objective_drafted,
            p.objectives_defined, p.production_requirements_defined, p.feasibility_result, p.overall) checklist) AS completeness`;

/** The project with creator and origin; undefined when the company has none of this id. */
export async function findDetails(tx: Tx, company_id: string, project_id: string): Promise<ProjectDetails | undefined> {
  const [project]: ProjectDetails[] = await tx.query(
    `SELECT ${DETAILS.map((name) => `p.${name}`).join(', ')}, ${CREATOR}, d.handle AS origin_deployment_handle
       FROM projects p
       LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
       LEFT JOIN deployments d ON d.company_id = p.company_id AND d.id = p.origin_deployment_id
      WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL`,
    [company_id, project_id],
  );
  return project;
}

/**
 * A page of the company's projects as ProjectSummary, last changed first, with the exact number of all that match.
 */
export async function findSummaries(tx: Tx, company_id: string, query: ProjectQuery): Promise<JsonPage> {
  const { q = null, workspace_mode = null, ...page } = query;
  const filters = [
    { value: q, condition: (at: string) => `strpos(lower(p.name), lower(${at}::text)) > 0` },
    { value: workspace_mode, condition: (at: string) => `p.workspace_mode = ${at}::text` },
  ].filter(({ value }) => value !== null);
  const matching = [
    'p.company_id = $1 AND p.deleted_at IS NULL',
    ...filters.map(({ condition }, index) => condition(`$${index + 2}`)),
  ].join(' AND ');
  const { items, total } = await readJsonPage(
    tx,
    {
      items: `
        SELECT p.id, p.name, iso_timestamp(p.created_at) AS created_at, iso_timestamp(p.updated_at) AS updated_at, ${CREATOR},
               p.card_count, ${COMPLETENESS}, p.objective_components, p.objective_confirmed,
               CASE WHEN p.active_solves > 0 THEN 'solving' WHEN p.active_turns > 0 THEN 'working' ELSE 'idle' END AS status,
               p.total_credits, p.workspace_mode
          FROM projects p
          LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
         WHERE ${matching}
         ORDER BY p.updated_at DESC, p.id DESC`,
      count: `SELECT count(*) FROM projects p WHERE ${matching}`,
      parameters: [company_id, ...filters.map(({ value }) => value)],
    },
    page,
  );
  // Of jsonb the text has blanks, and a numeric's has zeros, that answers have not.
  return { items: JSON.stringify(JSON.parse(items)), total };
}
