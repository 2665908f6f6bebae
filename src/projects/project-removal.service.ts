import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { CardsRepository } from './canvas/cards.repository.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { type PurgeableProject, ProjectsRepository } from './projects.repository.js';
import { SnapshotsRepository } from './snapshots.repository.js';

/** Removes the remaining rows of purged projects. */
@Injectable()
export class ProjectRemovalService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly containers: ContainersService,
  ) {}

  /**
   * Removes a project with its snapshots, cards and members, and discards the containers. Always returns false, because no rows
   * remain.
   */
  async remove(tx: Tx, { id, company_id, container_ids }: PurgeableProject): Promise<false> {
    const [projects, snapshots] = [tx.withRepository(this.projects), tx.withRepository(this.snapshots)];
    // The current snapshot cannot be deleted while the project references it.
    await projects.update({ id }, { workspace_mode: 'define', run_setup_status: null, current_snapshot_id: null });
    const ofSnapshots = await snapshots.containersOf(id);
    await snapshots.delete({ project_id: id });
    await tx.withRepository(this.cards).delete({ project_id: id });
    await tx.withRepository(this.members).delete({ project_id: id });
    await projects.delete({ id });
    await this.containers.discardHidden(tx, company_id, ...container_ids, ...ofSnapshots);
    await this.containers.forget(tx, company_id, ...container_ids, ...ofSnapshots);
    return false;
  }
}
