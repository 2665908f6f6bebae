import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { NotFound } from '../../common/errors/errors.js';
import { CONTAINER_KINDS, type ContainerKind } from './container.entity.js';
import { ContainersRepository, type LockedContainer } from './containers.repository.js';

/** Task that drops uploads that can no longer be completed. */
export const SWEEP_UPLOADS = 'sweep_uploads';

/** Manages whole file trees. {@link FileTreeService} changes their contents. */
@Injectable()
export class ContainersService {
  constructor(private readonly containers: ContainersRepository) {}

  /** Creates an empty container and returns its id. */
  async create(tx: Tx, company_id: string, kind: ContainerKind): Promise<string> {
    return await tx.withRepository(this.containers).insertEmpty(company_id, kind);
  }

  /**
   * Deletes containers, which immediately become invisible. The sweeper drops uploads to them, and the collector empties them.
   */
  async delete(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await this.lock(tx, company_id, ...container_ids);
    await tx.withRepository(this.containers).markDeleted(company_id, container_ids, false);
  }

  /** Deletes containers that may be restored. They become invisible but keep their content. */
  async hide(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await this.lock(tx, company_id, ...container_ids);
    await tx.withRepository(this.containers).markDeleted(company_id, container_ids, true);
  }

  /** Reverses {@link hide}. @throws Error if a container is not hidden */
  async restore(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    const restored = await tx.withRepository(this.containers).undelete(company_id, container_ids);
    if (restored < container_ids.length) throw new Error('Not all of the containers can be restored');
  }

  /** Treats hidden containers as deleted at the time when they were hidden, so that the collector empties them. */
  async discardHidden(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await tx.withRepository(this.containers).discardHidden(company_id, container_ids);
  }

  /**
   * Removes the rows of deleted containers that are unreferenced and already empty. The collector removes other rows after
   * emptying the containers.
   */
  async forget(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await tx.withRepository(this.containers).deleteEmptied(company_id, container_ids);
  }

  /**
   * Locks containers against other writers until the transaction ends, always in the order of their ids. Returns them in the
   * given order. Locks on projects, conversations and turns must be acquired before these locks.
   *
   * Writers to several containers must call this first. {@link FileTreeService} calls it for writers to a single container.
   *
   * @throws NotFound if a container was deleted
   */
  async lock(tx: Tx, company_id: string, ...container_ids: string[]): Promise<LockedContainer[]> {
    const rows = await tx.withRepository(this.containers).lock(company_id, container_ids);
    return container_ids.map((container_id) => {
      const container = rows.find((row) => row.container_id === container_id);
      if (container === undefined) throw new Error(`The company has no container ${container_id}`);
      if (container.deleted) throw new NotFound(CONTAINER_KINDS[container.kind].resource);
      return container;
    });
  }
}
