import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectDeletion } from '../projects/deletion.service.js';
import { ProjectPurge } from '../projects/purge.service.js';
import { ExecutionsService } from './executions.service.js';

const PAGE = 1_000;

/** What the end of a project means for its executions. */
@Injectable()
export class ProjectEnd implements OnModuleInit {
  constructor(
    private readonly deletion: ProjectDeletion,
    private readonly purge: ProjectPurge,
    private readonly executions: ExecutionsService,
  ) {}

  onModuleInit(): void {
    this.deletion.onDelete(async (tx, { id }) => {
      const ended = await this.executions.endAll(tx, id);
      return () => this.executions.announce(ended);
    });
    this.purge.onPurge(async (tx, project_id) => {
      const [, rows]: [unknown[], number] = await tx.query(
        'DELETE FROM executions WHERE id IN (SELECT id FROM executions WHERE project_id = $1 LIMIT $2)',
        [project_id, PAGE],
      );
      return rows > 0;
    });
  }
}
