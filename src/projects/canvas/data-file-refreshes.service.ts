import type { ProjectId } from '../../database/checked-id.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotFound } from '../../common/errors/errors.js';
import { DatabaseService } from '../../database/database.service.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { ProjectsRepository } from '../projects.repository.js';
import { CanvasEditorService } from './canvas-editor.service.js';
import { CardsRepository } from './cards.repository.js';
import { BACKLOG, DataFileRefreshesRepository, type LeasedRefresh } from './data-file-refreshes.repository.js';
import { DataFilesService } from './data-files.service.js';

/** Must match the name in the SQL function `request_data_files`. */
const QUEUE = 'data_files';
/** Maximum number of projects whose files a process reads concurrently. Reading a project's files can take a minute. */
const CONCURRENCY = 2;

/**
 * Reads the files that data cards refer to, and updates all values derived from these files. Runs when a card refers to a new
 * file or column, and when files change in a project whose cards refer to files.
 */
@Injectable()
export class DataFileRefreshesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly refreshes: DataFileRefreshesRepository,
    private readonly files: DataFilesService,
    private readonly editor: CanvasEditorService,
    private readonly queues: RowQueuesService,
    private readonly periodic: PeriodicWorkService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('* * * * *', 'take_data_file_jobs', async () => await this.refreshes.takeJobs());
    this.queues.open<LeasedRefresh>({
      name: QUEUE,
      concurrency: CONCURRENCY,
      backlog: BACKLOG,
      claim: async (owner, room) => ({ rows: await this.refreshes.claim(owner, room), more: true }),
      renew: async (refresh) => await this.refreshes.renew(refresh),
      run: async (refresh, { signal }) => {
        await this.catchUp(refresh.id, signal);
        await this.refreshes.finish(refresh);
      },
      postpone: async (refresh) => await this.refreshes.postpone(refresh),
      release: async (refresh) => await this.refreshes.release(refresh),
    });
  }

  private async catchUp(id: ProjectId, signal: AbortSignal): Promise<void> {
    const project = await this.projects.findOneBy({ id });
    if (project === null || project.deleted_at !== null) return;
    const { company_id, workspace_id } = project;
    const workspace = { company_id, container_id: workspace_id };
    try {
      await this.files.read(workspace, await this.cards.list(id), signal);
    } finally {
      // Uses the files that were read even if other files could not be read.
      await this.rederive(id);
    }
  }

  private async rederive(id: ProjectId): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await tx.withRepository(this.projects).lockById(id);
        await this.editor.rederive(tx, id);
      });
    } catch (error) {
      // The project was deleted in the meantime.
      if (!(error instanceof NotFound)) throw error;
    }
  }
}
