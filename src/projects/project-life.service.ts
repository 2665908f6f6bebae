import type { ProjectId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import type { Project } from './project.entity.js';

/** Takes part in a transaction that creates, deletes or restores a project, which is locked. */
export type ProjectListener = (tx: Tx, project: Project) => Promise<void>;

/**
 * Removes a page of what a module keeps of a project that was deleted, in a transaction of its own.
 *
 * @returns whether there may be more
 */
export type Purger = (tx: Tx, project_id: ProjectId) => Promise<boolean>;

/** What modules above do when a project is created, deleted, restored and purged; they say so while modules initialise. */
@Injectable()
export class ProjectLifeService {
  private readonly creation: ProjectListener[] = [];
  private readonly deletion: ProjectListener[] = [];
  private readonly restoration: ProjectListener[] = [];
  readonly purgers: Purger[] = [];

  /** Adds something to every new project. */
  onCreate(listener: ProjectListener): void {
    this.creation.push(listener);
  }

  /** Ends what is under way in a project that is deleted. */
  onDelete(listener: ProjectListener): void {
    this.deletion.push(listener);
  }

  /** Shows again what `onDelete` has hidden. */
  onRestore(listener: ProjectListener): void {
    this.restoration.push(listener);
  }

  /** Removes what is left of a project whose time is over. */
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
