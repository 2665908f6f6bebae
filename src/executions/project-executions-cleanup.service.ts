import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ContainersService } from '../files/tree/containers.service.js';
import { ProjectDeletionService } from '../projects/project-deletion.service.js';
import { ProjectPurgeService } from '../projects/project-purge.service.js';
import { ExecutionsRepository } from './executions.repository.js';
import { ExecutionsService } from './executions.service.js';

const PAGE = 1_000;

/** Ends the executions of a project that is deleted, and removes them when it is purged. */
@Injectable()
export class ProjectExecutionsCleanupService implements OnModuleInit {
  constructor(
    private readonly deletion: ProjectDeletionService,
    private readonly purge: ProjectPurgeService,
    private readonly executions: ExecutionsService,
    private readonly executionsRepository: ExecutionsRepository,
    private readonly containers: ContainersService,
  ) {}

  onModuleInit(): void {
    this.deletion.onDelete(async (tx, { id }) => {
      const ended = await this.executions.endAll(tx, id);
      return () => this.executions.announce(ended);
    });
    this.purge.onPurge(async (tx, project_id) => {
      const removed = await tx.withRepository(this.executionsRepository).removeSome(project_id, PAGE);
      const [one] = removed;
      const kept = removed.flatMap(({ inputs_id, outputs_id }) => [inputs_id ?? [], outputs_id ?? []].flat());
      if (one !== undefined && kept.length > 0) await this.containers.delete(tx, one.company_id, ...kept);
      return one !== undefined;
    });
  }
}
