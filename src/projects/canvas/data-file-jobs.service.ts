import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.service.js';
import { NotFound } from '../../platform/errors/errors.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import type { ProjectId } from '../project.entity.js';
import { ProjectsRepository } from '../projects.repository.js';
import { CanvasEditor, DATA_FILES } from './canvas-editor.service.js';
import { CardsRepository } from './cards.repository.js';
import { DataFiles } from './data-files.service.js';

/**
 * Reads the files that data cards name, and has what follows from them agree again: after a card that asks something new, and
 * after every change of the files of a project that names some (a trigger of `nodes` adds that job).
 */
@Injectable()
export class DataFileJobs implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly files: DataFiles,
    private readonly editor: CanvasEditor,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(DATA_FILES, ({ project_id }: { project_id: ProjectId }) => this.catchUp(project_id));
  }

  private async catchUp(id: ProjectId): Promise<void> {
    const project = await this.projects.findOneBy({ id });
    if (project === null || project.deleted_at !== null) return;
    const { company_id, workspace_id } = project;
    await this.files.read({ company_id, container_id: workspace_id }, await this.cards.list(id));
    try {
      await this.database.transaction(async (tx) => {
        await tx.withRepository(this.projects).lock(company_id, id);
        await this.editor.rederive(tx, id);
      });
    } catch (error) {
      // It was deleted meanwhile.
      if (!(error instanceof NotFound)) throw error;
    }
  }
}
