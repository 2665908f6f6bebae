import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ContainersService } from '../files/tree/containers.service.js';
import { ProjectLifeService } from '../projects/project-life.service.js';
import { ExecutionCancellationsService } from './execution-cancellations.service.js';
import { ExecutionsRepository } from './executions.repository.js';

const PAGE = 1_000;

/** Cancels the executions in a deleted project, and removes them when the project is purged. */
@Injectable()
export class ProjectExecutionsCleanupService implements OnModuleInit {
  constructor(
    private readonly life: ProjectLifeService,
    private readonly cancellations: ExecutionCancellationsService,
    private readonly executions: ExecutionsRepository,
    private readonly containers: ContainersService,
  ) {}

  onModuleInit(): void {
    this.life.onDelete(async (tx, { id }) => await this.cancellations.cancelAll(tx, id));
    this.life.onPurge(async (tx, project_id) => {
      const removed = await tx.withRepository(this.executions).removeSome(project_id, PAGE);
      const [first] = removed;
      const containerIds = removed.flatMap(({ inputs_id, outputs_id }) => [inputs_id ?? [], outputs_id ?? []].flat());
      if (first !== undefined && containerIds.length > 0)
        await this.containers.delete(tx, first.company_id, ...containerIds);
      return first !== undefined;
    });
  }
}
