import type { QueryDeepPartialEntity } from 'typeorm';
import type { ProjectId } from '../database/checked-id.js';
import type { ContainerLookup } from '../files/container-resolver.service.js';
import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { sharedRead } from '../database/shared-reads.js';
import type { Derived } from '../../packages/canvas/index.js';
import {
  callerParameter,
  type ProjectEditor,
  type ProjectLeaver,
  type ProjectOwner,
  type ProjectReader,
} from './project-access.js';
import { isVisible, isRestorable, mayEdit, roleIn, isDeletedAndVisible } from './project-access.sql.js';
import type { ProjectRole } from './project-member.entity.js';
import { CONTAINER_COLUMNS, Project } from './project.entity.js';

/** SQL that selects a project's workspace, if the caller can see the project. */
const workspaceOf = (condition: string, caller: string): string => `
  SELECT p.workspace_id AS container_id, p.id AS project_id, ${mayEdit('p', caller)} AS may_write
    FROM projects p WHERE ${condition} AND ${isVisible('p', caller)}`;

/** Finds workspace containers. */
export const WORKSPACES: ContainerLookup = {
  select: (scope) => workspaceOf('p.id = $1', scope),
  selectById: (scope) => workspaceOf('p.workspace_id = $1', scope),
  scope: callerParameter,
  parse: (id) => parseId(id, 'Project'),
};

/**
 * SQL that changes a project's counters by the given amounts, sets the feasibility result unless it is null, and updates the
 * change time. Each argument is an SQL expression.
 */
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

/** Changes that other modules make to a project's counters. */
export interface ProjectChange {
  active_solves?: number;
  credits?: number;
  /** Result of a solve. Omit to keep the stored result. */
  feasibility_result?: Project['feasibility_result'];
}

/** Current contents of a project's deployment scope. */
export interface ConfigNote {
  /** Hash of all files in the scope. */
  config_digest: string;
  origin_deployment_id?: string;
}

/** Deleted project that is due for purging. */
export interface PurgeableProject {
  id: ProjectId;
  company_id: string;
  container_ids: string[];
}

const LOCKING = 'FOR NO KEY UPDATE OF p';

/** SELECT for a project row with the caller's role. */
const selected = (condition: string, locking: string): string =>
  `SELECT p.*, ${roleIn('p', '$1')} AS caller_role FROM projects p WHERE p.id = $2 AND ${condition} ${locking}`;

const SELECTED = selected(isVisible('p', '$1'), '');
const LOCKED = selected(isVisible('p', '$1'), LOCKING);
const DELETED = selected(`${isDeletedAndVisible('p', '$1')} AND ${isRestorable('$3')}`, LOCKING);

/**
 * Stores projects and finds them for callers who may see them. Deleted projects are found only by the methods for restoring and
 * purging.
 */
export class ProjectsRepository extends EntityRepository(Project) {
  /**
   * Returns a project row.
   * @throws NotFound, also for a malformed id
   * @throws Forbidden
   */
  async require(reader: ProjectReader, projectId: string): Promise<Project> {
    const parameters = [reader.parameter, parseId(projectId, 'Project')];
    return requireRow(reader, await sharedRead<ProjectRow[]>(this.manager, SELECTED, parameters));
  }

  /**
   * Returns a project, locked against other writers until the transaction ends.
   * @throws NotFound
   * @throws Forbidden
   */
  async lock(editor: ProjectEditor | ProjectLeaver, projectId: string): Promise<Project> {
    return requireRow(editor, await this.query(LOCKED, [editor.parameter, parseId(projectId, 'Project')]));
  }

  /**
   * Returns a project without checking access. For background work that continues regardless of who started it.
   * @throws NotFound
   */
  async requireById(id: ProjectId): Promise<Project> {
    return await this.selectById(id, '');
  }

  /**
   * Returns a project without checking access, locked against other writers until the transaction ends.
   * @throws NotFound
   */
  async lockById(id: ProjectId): Promise<Project> {
    return await this.selectById(id, 'FOR NO KEY UPDATE');
  }

  /** Returns the indexes of the ids whose projects are not visible to the caller. */
  async indexesOfInvisible(reader: ProjectReader, ids: readonly string[]): Promise<number[]> {
    const rows: { place: number }[] = await this.query(
      `SELECT w.place::integer AS place FROM unnest($2::uuid[]) WITH ORDINALITY w (id, place)
        WHERE NOT EXISTS (SELECT FROM projects p WHERE p.id = w.id AND ${isVisible('p', '$1')})`,
      [reader.parameter, ids],
    );
    return rows.map(({ place }) => place - 1);
  }

  /**
   * Returns the entries whose readers can no longer see the project. For a stream that outlives its project, a deleted project
   * still counts as visible.
   */
  async withoutAccess<Following extends { reader: ProjectReader; project_id: ProjectId; outlivesProject: boolean }>(
    followed: readonly Following[],
  ): Promise<Following[]> {
    const rows: { place: number }[] = await this.query(
      `SELECT f.place::integer AS place
         FROM unnest($1::jsonb[], $2::uuid[], $3::boolean[]) WITH ORDINALITY f (caller, project_id, outlives, place),
              LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text(f.caller)) AS parameter) c
        WHERE NOT EXISTS (SELECT FROM projects p WHERE p.id = f.project_id
                             AND (${isVisible('p', 'c.parameter')} OR (f.outlives AND ${isDeletedAndVisible('p', 'c.parameter')})))`,
      [
        followed.map(({ reader }) => JSON.stringify(reader.parameter)),
        followed.map(({ project_id }) => project_id),
        followed.map(({ outlivesProject }) => outlivesProject),
      ],
    );
    return rows.map(({ place }) => followed[place - 1]!);
  }

  /** Changes fields of a locked project and updates its change time. */
  async change(id: ProjectId, fields: QueryDeepPartialEntity<Project>): Promise<void> {
    await this.update({ id }, { ...fields, updated_at: () => 'now()' });
  }

  /** Marks a locked project as deleted. It is invisible once the transaction commits. */
  async markDeleted(id: ProjectId): Promise<void> {
    await this.update({ id }, { deleted_at: () => 'now()' });
  }

  /** Changes a project's counters by the given amounts and updates its change time. */
  async adjust(
    project_id: ProjectId,
    { active_solves = 0, credits = 0, feasibility_result }: ProjectChange,
  ): Promise<void> {
    const columns = { active_solves: '$2', credits: '$3', feasibility_result: '$4' };
    await this.query(adjustProject('$1', columns), [project_id, active_solves, credits, feasibility_result ?? null]);
  }

  /**
   * Records the end of a turn. Does not update the change time, because the start of the turn and its work have already done
   * so. PostgreSQL then does not have to update the indexes.
   */
  async endTurn(project_id: ProjectId, credits: number): Promise<void> {
    await this.query(
      'UPDATE projects SET active_turns = active_turns - 1, total_credits = total_credits + $2 WHERE id = $1',
      [project_id, credits],
    );
  }

  /** Records the contents of a locked project's deployment scope and, if given, its origin deployment. */
  async recordConfig(project_id: ProjectId, { config_digest, origin_deployment_id }: ConfigNote): Promise<void> {
    await this.query(
      `UPDATE projects
          SET config_digest = $2, origin_deployment_id = coalesce($3, origin_deployment_id), updated_at = now()
        WHERE id = $1`,
      [project_id, config_digest, origin_deployment_id ?? null],
    );
  }

  /**
   * Stores the values derived from the cards in a locked project.
   *
   * @param data_files_digest hash of the files that contain sets; a new hash invalidates the last solve
   * @param isNewModel whether the cards invalidate the last solve
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

  /**
   * Returns a deleted project that can be restored, locked until the transaction ends. Returns undefined if it does not exist.
   * @throws Forbidden
   */
  async lockDeleted(owner: ProjectOwner, projectId: string, graceSeconds: number): Promise<Project | undefined> {
    const parameters = [owner.parameter, parseId(projectId, 'Project'), graceSeconds];
    return admitted(owner, await this.query(DELETED, parameters));
  }

  /** Makes a locked deleted project visible again. */
  async markRestored(id: ProjectId): Promise<void> {
    await this.update({ id }, { deleted_at: null, updated_at: () => 'now()' });
  }

  /**
   * Returns projects that were deleted at least `graceSeconds` ago and whose id is greater than `after`, in order of their ids.
   */
  async due(after: string, graceSeconds: number, limit: number): Promise<PurgeableProject[]> {
    return await this.query(
      `SELECT id, company_id, ARRAY[${CONTAINER_COLUMNS.join(', ')}] AS container_ids
         FROM projects WHERE deleted_at <= now() - make_interval(secs => $1) AND id > $2 ORDER BY id LIMIT $3`,
      [graceSeconds, after, limit],
    );
  }

  /**
   * Begins to purge a project that was deleted at least `graceSeconds` ago. From then on, it can no longer be restored. Returns
   * false if the project was restored or already removed.
   */
  async beginPurge(id: ProjectId, graceSeconds: number): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE projects SET purge_began_at = coalesce(purge_began_at, now())
        WHERE id = $1 AND deleted_at <= now() - make_interval(secs => $2)`,
      [id, graceSeconds],
    );
    return count > 0;
  }

  /** Locks a project that is being purged until the transaction ends. Returns false if the project was already removed. */
  async lockPurged(id: ProjectId): Promise<boolean> {
    const rows: unknown[] = await this.query(
      'SELECT FROM projects WHERE id = $1 AND purge_began_at IS NOT NULL FOR NO KEY UPDATE',
      [id],
    );
    return rows.length > 0;
  }

  private async selectById(id: ProjectId, locking: string): Promise<Project> {
    const [project]: Project[] = await this.query(
      `SELECT * FROM projects WHERE id = $1 AND deleted_at IS NULL ${locking}`,
      [id],
    );
    if (project === undefined) throw new NotFound('Project');
    return project;
  }
}

/**
 * @throws NotFound
 * @throws Forbidden
 */
function requireRow(reader: ProjectReader, rows: ProjectRow[]): Project {
  const project = admitted(reader, rows);
  if (project === undefined) throw new NotFound('Project');
  return project;
}

type ProjectRow = Project & { caller_role: ProjectRole };

/**
 * Returns the project that a statement has found, or undefined if it has found no row.
 * @throws Forbidden
 */
function admitted(reader: ProjectReader, [row]: ProjectRow[]): Project | undefined {
  if (row === undefined) return undefined;
  const { caller_role, ...project } = row;
  reader.admit(caller_role);
  return project;
}
