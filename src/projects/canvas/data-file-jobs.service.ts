import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../../database/database.service.js';
import { NotFound } from '../../common/errors/errors.js';
import { JobLeft, JobsService } from '../../database/jobs/jobs.service.js';
import type { ProjectId } from '../project.entity.js';
import { ProjectsRepository } from '../projects.repository.js';
import { CanvasEditorService, DATA_FILES } from './canvas-editor.service.js';
import { CardsRepository } from './cards.repository.js';
import { DataFilesService } from './data-files.service.js';

/** Projects whose files a process reads at once: reading may take a minute, and other jobs do not wait for it. */
const CONCURRENCY = 2;

/**
 * Reads the files that data cards name, and has what follows from them agree again: after a card that asks something new, and
 * after every change of the files of a project that names some (a trigger of `nodes` adds that job).
 */
@Injectable()
export class DataFileJobsService implements OnModuleInit, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly files: DataFilesService,
    private readonly editor: CanvasEditorService,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    const work = ({ project_id }: { project_id: ProjectId }): Promise<void> => this.catchUp(project_id);
    this.jobs.handle(DATA_FILES, work, { concurrency: CONCURRENCY });
  }

  /** What is being read is left to the next attempt. */
  onModuleDestroy(): void {
    this.stopping.abort(new JobLeft('The process stops'));
  }

  private async catchUp(id: ProjectId): Promise<void> {
    const project = await this.projects.findOneBy({ id });
    if (project === null || project.deleted_at !== null) return;
    const { company_id, workspace_id } = project;
    const workspace = { company_id, container_id: workspace_id };
    try {
      await this.files.read(workspace, await this.cards.list(id), this.stopping.signal);
    } finally {
      // What could be read counts, whatever could not.
      await this.rederive(id);
    }
  }

  private async rederive(id: ProjectId): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await tx.withRepository(this.projects).lockKnown(id);
        await this.editor.rederive(tx, id);
      });
    } catch (error) {
      // It was deleted meanwhile.
      if (!(error instanceof NotFound)) throw error;
    }
  }
}
