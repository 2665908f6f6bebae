import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { NotFound } from '../../common/errors/errors.js';
import { CONTAINER_KINDS, type ContainerKind } from './container.entity.js';
import { ContainersRepository, type LockedContainer } from './containers.repository.js';

/** Task that drops uploads which nobody can finish any more. */
export const SWEEP_UPLOADS = 'sweep_uploads';

/** Trees of files as a whole; {@link FileTreeService} works inside them. */
@Injectable()
export class ContainersService {
  constructor(private readonly containers: ContainersRepository) {}

  /** Makes an empty container and resolves with its id. */
  async create(tx: Tx, company_id: string, kind: ContainerKind): Promise<string> {
    return await tx.withRepository(this.containers).insertEmpty(company_id, kind);
  }

  /** Ends containers: nothing finds them any more. The sweeper drops uploads to them, the collector empties them. */
  async delete(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await this.lock(tx, company_id, ...container_ids);
    await tx.withRepository(this.containers).markDeleted(company_id, container_ids, false);
  }

  /** Ends containers that may come back: nothing finds them, and what they hold stays. */
  async hide(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await this.lock(tx, company_id, ...container_ids);
    await tx.withRepository(this.containers).markDeleted(company_id, container_ids, true);
  }

  /** Undoes what {@link hide} has done. @throws Error when one of them is not hidden */
  async restore(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    const restored = await tx.withRepository(this.containers).bringBack(company_id, container_ids);
    if (restored < container_ids.length) throw new Error('Not all of the containers can come back');
  }

  /** Has hidden containers emptied as if they had been deleted when they were hidden. */
  async giveUp(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await tx.withRepository(this.containers).giveUp(company_id, container_ids);
  }

  /**
   * Removes the rows of ended containers that nothing refers to any more and that the collector has emptied already; those
   * that it empties later it removes itself.
   */
  async forget(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await tx.withRepository(this.containers).deleteEmptied(company_id, container_ids);
  }

  /**
   * Locks containers against other writers until the transaction ends, in the order of their ids whatever the order
   * given, and resolves with them in the order given. Locks of projects, conversations and turns come before these.
   *
   * Who writes to one container need not call this, {@link FileTreeService} does; who writes to several locks them first.
   *
   * @throws NotFound when one of them was deleted
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
