import type { ProjectId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import type { Project } from './project.entity.js';

/** Listener that runs in the transaction that creates, deletes or restores a project. The project is locked. */
export type ProjectListener = (tx: Tx, project: Project) => Promise<void>;

/**
 * Removes a page of the rows that a module stores for a deleted project. Called in a separate transaction for each page.
 *
 * @returns whether more rows may remain
 */
export type Purger = (tx: Tx, project_id: ProjectId) => Promise<boolean>;

/**
 * Notifies other modules when projects are created, deleted, restored and purged. Modules register their listeners in
 * `onModuleInit`.
 */
@Injectable()
export class ProjectLifeService {
  private readonly creation: ProjectListener[] = [];
  private readonly deletion: ProjectListener[] = [];
  private readonly restoration: ProjectListener[] = [];
  readonly purgers: Purger[] = [];

  /** Registers a listener that adds a module's data to every new project. */
  onCreate(listener: ProjectListener): void {
    this.creation.push(listener);
  }

  /** Registers a listener that ends running work in a deleted project. */
  onDelete(listener: ProjectListener): void {
    this.deletion.push(listener);
  }

  /** Registers a listener that undoes the changes made by an `onDelete` listener. */
  onRestore(listener: ProjectListener): void {
    this.restoration.push(listener);
  }

  /** Registers a function that removes the rows of a project that can no longer be restored. */
  onPurge(purger: Purger): void {
    this.purgers.push(purger);
  }

  async created(tx: Tx, project: Project): Promise<void> {
    for (const listener of this.creation) await listener(tx, project);
  }

  async deleted(tx: Tx, project: Project): Promise<void> {
    for (const listener of this.deletion) await listener(tx, project);
  }

  async restored(tx: Tx, project: Project): Promise<void> {
    for (const listener of this.restoration) await listener(tx, project);
  }
}
