import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NotFound, parseId } from '../common/errors/errors.js';
import { entityTag, ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import { fieldsOf } from '../common/validation/field.js';
import type { Tx } from '../database/database.service.js';
import { columnsOf } from '../database/entity-repository.js';
import { readPage } from '../database/listing.js';
import { sharedRead } from '../database/shared-reads.js';
import { CompletenessResponse } from './canvas/canvas.dto.js';
import type { ProjectReader } from './project-access.js';
import { isVisible, isRestorable, personOf, roleIn, isDeletedAndVisible } from './project-access.sql.js';
import type { ProjectRole } from './project-member.entity.js';
import { CONTAINER_COLUMNS, Project, type ProjectStatus } from './project.entity.js';
import { type ProjectQuery, ProjectSummary } from './projects.dto.js';

/** Creator of a project, as shown in responses. */
export type Creator = Pick<Project, 'created_by'> & {
  creator_name: string | null;
  creator_avatar_url: string | null;
};

/** Project as seen by a caller. */
export type ProjectDetails = Project & Creator & { origin_deployment_handle: string | null; role: ProjectRole };

/**
 * Names of the fields in a listing. Only their columns are read, because other columns, such as the description, can be long.
 */
const SHOWN = new Set([...fieldsOf(ProjectSummary), ...fieldsOf(CompletenessResponse)].map(({ name }) => name));
const LISTED = columnsOf(Project).filter((column) => SHOWN.has(column));

export type ListedProject = Pick<Project, keyof Project & (keyof ProjectSummary | keyof CompletenessResponse)> &
  Creator & { status: ProjectStatus };

const CREATOR = 'u.display_name AS creator_name, u.avatar_url AS creator_avatar_url';
const JOIN_CREATOR = 'LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.created_by';
const JOINED = `
  ${JOIN_CREATOR}
  LEFT JOIN deployments d ON d.company_id = p.company_id AND d.id = p.origin_deployment_id`;

/** Revisions of the rows that a ProjectResponse contains, and the caller's role. */
interface Versions {
  revision: string;
  creator_revision: string | null;
  origin_revision: string | null;
  role: ProjectRole;
}

const VERSION = `p.revision, u.revision AS creator_revision, d.revision AS origin_revision, ${roleIn('p', '$1')} AS role`;

const tagOf = ({ revision, creator_revision, origin_revision, role }: Versions): string =>
  entityTag(revision, creator_revision, origin_revision, role);

const STATUS = `CASE WHEN p.active_solves > 0 THEN 'solving' WHEN p.active_turns > 0 THEN 'working' ELSE 'idle' END`;

const DETAILS = `
  SELECT p.*, ${CREATOR}, d.handle AS origin_deployment_handle, ${VERSION} FROM projects p ${JOINED}
   WHERE p.id = $2 AND ${isVisible('p', '$1')}`;

const VERSIONS = `SELECT ${VERSION} FROM projects p ${JOINED} WHERE p.id = $2 AND ${isVisible('p', '$1')}`;

/** Reads projects for responses, with their creators, origins and entity tags. Has no entity because it never writes. */
@Injectable()
export class ProjectViewsRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Returns a project with its entity tag, unless the caller already has the current version.
   * @throws NotFound
   */
  async details(
    tx: Tx,
    reader: ProjectReader,
    projectId: string,
    clientTags: ClientTags = ClientTags.NONE,
  ): Promise<Tagged<ProjectDetails>> {
    if (!clientTags.isEmpty) {
      const tag = await this.tagOf(tx, reader, projectId);
      if (clientTags.has(tag)) return Tagged.unchanged(tag);
    }
    const [row] = await sharedRead<(ProjectDetails & Versions)[]>(tx, DETAILS, [
      reader.parameter,
      parseId(projectId, 'Project'),
    ]);
    if (row === undefined) throw new NotFound('Project');
    return Tagged.of(tagOf(row), row);
  }

  /**
   * Returns a project without its entity tag, for responses that are stored under an idempotency key.
   * @throws NotFound
   */
  async detailsWithoutTag(tx: Tx, reader: ProjectReader, projectId: string): Promise<ProjectDetails> {
    const { body } = await this.details(tx, reader, projectId);
    if (body === undefined) throw new Error('A project read without known tags has no body');
    return body;
  }

  /**
   * Returns the entity tag of {@link details}.
   * @throws NotFound
   */
  async tagOf(tx: Tx, reader: ProjectReader, projectId: string): Promise<string> {
    const [row] = await sharedRead<Versions[]>(tx, VERSIONS, [reader.parameter, parseId(projectId, 'Project')]);
    if (row === undefined) throw new NotFound('Project');
    return tagOf(row);
  }

  /** Returns a page of the projects that the caller can see, with the exact total number of matches. */
  async summaries(reader: ProjectReader, query: ProjectQuery, graceSeconds: number): Promise<Page<ListedProject>> {
    const { q = null, workspace_mode = null, created_by = null, visibility = null, status = null, ...rest } = query;
    const { deleted = false, ...page } = rest;
    const filters = [
      { value: q, condition: (at: string) => `strpos(lower(p.name), lower(${at}::text)) > 0` },
      { value: workspace_mode, condition: (at: string) => `p.workspace_mode = ${at}::text` },
      {
        value: created_by,
        condition: (at: string) => `p.created_by = CASE ${at}::text WHEN 'me' THEN ${personOf('$1')} ELSE ${at} END`,
      },
      { value: visibility, condition: (at: string) => `p.visibility = ${at}::text` },
      { value: status, condition: (at: string) => `${STATUS} = ${at}::text` },
      { value: deleted ? graceSeconds : null, condition: (at: string) => isRestorable(`${at}::float8`) },
    ].filter(({ value }) => value !== null);
    const matching = [
      deleted ? isDeletedAndVisible('p', '$1') : isVisible('p', '$1'),
      ...filters.map(({ condition }, index) => condition(`$${index + 2}`)),
    ].join(' AND ');
    return await readPage(
      this.source.manager,
      {
        select: `SELECT ${LISTED.map((column) => `p.${column}`).join(', ')}, ${CREATOR}, ${STATUS} AS status FROM projects p ${JOIN_CREATOR} WHERE ${matching}`,
        table: 'p',
        orderBy: deleted ? 'deleted_at' : 'updated_at',
        count: `SELECT count(*) FROM projects p WHERE ${matching}`,
        parameters: [reader.parameter, ...filters.map(({ value }) => value)],
      },
      page,
      walkStart('projects', page, isCreationKey),
    );
  }

  /** Returns all of a project's containers, including its snapshots' containers. */
  async containersOf(tx: Tx, project: Project): Promise<string[]> {
    const snapshots: { container_id: string }[] = await tx.query(
      'SELECT container_id FROM snapshots WHERE project_id = $1',
      [project.id],
    );
    return [
      ...CONTAINER_COLUMNS.map((column) => project[column]),
      ...snapshots.map(({ container_id }) => container_id),
    ];
  }
}
