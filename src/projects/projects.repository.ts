import type { ContainerLookup } from '../files/container-resolver.js';
import { EntityRepository } from '../platform/database/entity-repository.js';
import { NotFound, parseId } from '../platform/errors/errors.js';
import { JsonText } from '../platform/http/json-text.js';
import { type JsonPage, readJsonPage } from '../platform/database/json-page.js';
import type { Derived } from './canvas/derivation.js';
import { Project, type ProjectId } from './project.entity.js';
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

/** Increments of what the modules above projects keep in them. */
export interface ProjectChange {
  active_turns?: number;
  active_solves?: number;
  credits?: number;
  /** What a solve has found out; absent: as it was. */
  feasibility_result?: Project['feasibility_result'];
}

/** What a project's deployment scope holds. */
export interface ConfigNote {
  /** Of all that the scope holds. */
  config_digest: string;
  origin_deployment_id?: string;
}

/** A deleted project that is to be removed for good. */
export interface DueProject {
  id: ProjectId;
  company_id: string;
  container_ids: string[];
}

const CREATOR = `
  CASE WHEN u.id IS NOT NULL
       THEN jsonb_build_object('display_name', u.display_name, 'id', u.id, 'avatar_url', u.avatar_url) END AS created_by`;

const COMPLETENESS = `
  (SELECT checklist FROM (
     SELECT p.all_constraints_classified, p.all_variables_provided, p.data_available, p.kpis_defined, p.objective_drafted,
            p.objectives_defined, p.production_requirements_defined, p.feasibility_result, p.overall) checklist) AS completeness`;

/** Projects of companies. A project that was deleted is found by the methods for its removal only. */
export class ProjectsRepository extends EntityRepository(Project) {
  /** The project as a row. @throws NotFound also for an id that is none. */
  async require(company_id: string, projectId: string): Promise<Project> {
    return await this.select(company_id, projectId, '');
  }

  /** The project, locked against other writers until the transaction ends. @throws NotFound */
  async lock(company_id: string, projectId: string): Promise<Project> {
    return await this.select(company_id, projectId, 'FOR NO KEY UPDATE');
  }

  /** The project as ProjectResponse. @throws NotFound */
  async details(company_id: string, projectId: string): Promise<JsonText> {
    const [found]: { details: unknown }[] = await this.query(
      `SELECT row_to_json(project) AS details FROM (
       SELECT p.id, p.name, p.description, p.short_description, iso_timestamp(p.created_at) AS created_at,
              iso_timestamp(p.updated_at) AS updated_at, ${CREATOR}, ${COMPLETENESS}, p.current_snapshot_id,
              p.objective_components, p.objective_confirmed, p.objective_description, p.objective_type,
              d.handle AS origin_deployment_handle, p.run_setup_status, p.total_credits, p.workspace_mode, p.config_digest
         FROM projects p
         LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by
         LEFT JOIN deployments d ON d.company_id = p.company_id AND d.id = p.origin_deployment_id
        WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL) project`,
      [company_id, parseId(projectId, 'Project')],
    );
    if (found === undefined) throw new NotFound('Project');
    // Put together again, as a numeric's text has zeros that answers have not.
    return new JsonText(JSON.stringify(found.details));
  }

  /** A page of the company's projects as ProjectSummary, last changed first, with the exact number of all that match. */
  async summaries(company_id: string, query: ProjectQuery): Promise<JsonPage> {
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
      this.manager,
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

  /** Changes fields of a locked project and marks it as changed now. */
  async change(
    id: ProjectId,
    fields: Partial<
      Pick<Project, 'name' | 'description' | 'short_description' | 'workspace_mode' | 'current_snapshot_id'>
    >,
  ): Promise<void> {
    await this.update({ id }, { ...fields, updated_at: () => 'now()' });
  }

  /** Marks a locked project as deleted: from the commit on nothing finds it. */
  async markDeleted(id: ProjectId): Promise<void> {
    await this.update({ id }, { deleted_at: () => 'now()' });
  }

  /** Adds to a project's counters and marks it as changed now. */
  async adjust(
    project_id: ProjectId,
    { active_turns = 0, active_solves = 0, credits = 0, feasibility_result }: ProjectChange,
  ): Promise<void> {
    const columns = { active_turns: '$2', active_solves: '$3', credits: '$4', feasibility_result: '$5' };
    await this.query(adjustProject('$1', columns), [
      project_id,
      active_turns,
      active_solves,
      credits,
      feasibility_result ?? null,
    ]);
  }

  /** Notes what the deployment scope of a locked project holds now and, where given, which deployment it comes from. */
  async noteConfig(project_id: ProjectId, { config_digest, origin_deployment_id }: ConfigNote): Promise<void> {
    await this.query(
      `UPDATE projects
          SET config_digest = $2, origin_deployment_id = coalesce($3, origin_deployment_id), updated_at = now()
        WHERE id = $1`,
      [project_id, config_digest, origin_deployment_id ?? null],
    );
  }

  /**
   * Keeps what follows from the cards of a locked project.
   *
   * @param data_files_digest of the files that sets stand in: from others the last solve says nothing any more
   * @param isNewModel nor does it from these cards
   */
  async keepDerived(
    project_id: ProjectId,
    derived: Derived,
    data_files_digest: string | null,
    isNewModel: boolean,
  ): Promise<void> {
    const { objective_components, ...fields } = derived;
    const names = Object.keys(fields);
    await this.query(
      `UPDATE projects
          SET ${names.map((name, index) => `${name} = $${index + 5}`).join(', ')}, objective_components = $2,
              feasibility_result = CASE WHEN $3 OR coalesce(data_files_digest, '') <> coalesce($4, '')
                                        THEN 'unchecked' ELSE feasibility_result END,
              data_files_digest = $4, updated_at = now()
        WHERE id = $1`,
      [project_id, JSON.stringify(objective_components), isNewModel, data_files_digest, ...Object.values(fields)],
    );
  }

  /** Projects after `id` that were deleted at least so many seconds ago, by id. */
  async due(after: string, graceSeconds: number, limit: number): Promise<DueProject[]> {
    return await this.query(
      `SELECT id, company_id, ARRAY[workspace_id, agent_config_id, project_skills_id] AS container_ids
         FROM projects WHERE deleted_at <= now() - make_interval(secs => $1) AND id > $2 ORDER BY id LIMIT $3`,
      [graceSeconds, after, limit],
    );
  }

  /** Locks a deleted project until the transaction ends; false when somebody has removed it. */
  async lockDeleted(id: string): Promise<boolean> {
    const left: unknown[] = await this.query('SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return left.length > 0;
  }

  private async select(company_id: string, projectId: string, locking: string): Promise<Project> {
    const [project]: Project[] = await this.query(
      `SELECT * FROM projects WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL ${locking}`,
      [company_id, parseId(projectId, 'Project')],
    );
    if (project === undefined) throw new NotFound('Project');
    return project;
  }
}
