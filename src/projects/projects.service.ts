import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { Config } from '../config/config.js';
import { DatabaseService } from '../database/database.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import type { Page } from '../common/listing/page.js';
import { type ProjectEditor, ProjectOwner, type ProjectReader } from './project-access.js';
import type { ProjectQuery, ProjectUpdate } from './projects.dto.js';
import { type ListedProject, type ProjectDetails, ProjectViewsRepository } from './project-views.repository.js';
import { ProjectsRepository } from './projects.repository.js';
import { SnapshotsService } from './snapshots.service.js';

/** Reads and changes projects for API callers. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly views: ProjectViewsRepository,
    private readonly snapshots: SnapshotsService,
    private readonly config: Config,
    private readonly events: ProjectEventsService,
  ) {}

  /** Returns the projects that the caller can see, most recently changed or deleted first. */
  async list(reader: ProjectReader, query: ProjectQuery): Promise<Page<ListedProject>> {
    return await this.views.summaries(reader, query, this.config.PROJECTS_GRACE_SECONDS);
  }

  /**
   * Returns a project.
   * @throws NotFound
   */
  async details(reader: ProjectReader, projectId: string, clientTags: ClientTags): Promise<Tagged<ProjectDetails>> {
    return await this.views.details(this.database.manager, reader, projectId, clientTags);
  }

  /**
   * Changes a project.
   * @throws NotFound
   * @throws Forbidden for viewers, and for a change of the visibility by a caller who is not an owner
   * @throws PreconditionFailed
   */
  async update(
    editor: ProjectEditor,
    projectId: string,
    change: ProjectUpdate,
    expected: ExpectedTags,
  ): Promise<Tagged<ProjectDetails>> {
    return await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const { name, workspace_mode, visibility, ...nullable } = change;
      const project = await projects.lock(editor, projectId);
      if (visibility != null && visibility !== project.visibility) {
        await projects.require(ProjectOwner.of(editor.caller), projectId);
      }
      await assertExpected(expected, () => this.views.tagOf(tx, editor, project.id));
      await projects.change(project.id, {
        ...nullable,
        name: name ?? project.name,
        ...(workspace_mode === 'define' && { workspace_mode }),
        ...(visibility != null && { visibility }),
      });
      const takesSnapshot = workspace_mode === 'run' && project.workspace_mode === 'define';
      if (takesSnapshot) await this.snapshots.enterRunMode(tx, project);
      const fields = Object.keys(change);
      this.events.by(tx, editor.caller);
      this.events.note(tx, project.id, 'project.updated', {
        fields: takesSnapshot ? [...fields, 'current_snapshot_id', 'snapshots'] : fields,
      });
      return await this.views.details(tx, editor, project.id);
    });
  }
}
