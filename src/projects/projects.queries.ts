import type { ContainerLookup } from '../files/container-resolver.js';
import type { Tx } from '../platform/database/database.js';
import { parseId } from '../platform/errors/errors.js';
import { JsonText } from '../platform/http/json-text.js';
import { type JsonPage, readJsonPage } from '../platform/database/json-page.js';
import type { ProjectQuery } from './projects.dto.js';

/** SQL of the id of a company's project, null when it has none of this id: for reads of the modules above. */
export const projectOf = (company: string, project: string): string =>
  `(SELECT id FROM projects WHERE company_id = ${company} AND id = ${project} AND deleted_at IS NULL)`;

/** The containers of projects' files. */
export const WORKSPACES: ContainerLookup = {
  resource: 'Project',
  select: `SELECT workspace_id AS container_id, id AS project_id FROM projects
            WHERE company_id = $2 AND id = $1 AND deleted_at IS NULL`,
  parse: (id) => parseId(id, 'Project'),
};

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

/** The project as ProjectResponse; undefined when the company has none of this id. */
export async function findDetails(tx: Tx, company_id: string, project_id: string): Promise<JsonText | undefined> {
  const [found]: { details: unknown }[] = await tx.query(
    `SELECT row_to_json(project) AS details FROM (
       SELECT p.id, p.name, p.description, p.short_description, iso_timestamp(p.created_at) AS created_at,
              iso_timestamp(p.updated_at) AS updated_at, ${CREATOR}, ${COMPLETENESS}, p.current_snapshot_id,
              p.objective_components, p.objective_confirmed, p.objective_description, p.objective_type,
              d.handle AS origin_deployment_handle, p.run_setup_status, p.total_credits, p.workspace_mode, p.config_digest
         FROM projects p
         LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
         LEFT JOIN deployments d ON d.company_id = p.company_id AND d.id = p.origin_deployment_id
        WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL) project`,
    [company_id, project_id],
  );
  // Put together again, as a numeric's text has zeros that answers have not.
  return found && new JsonText(JSON.stringify(found.details));
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
