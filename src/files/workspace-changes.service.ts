import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Principal } from '../auth/principal.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import { NotFound } from '../common/errors/errors.js';

/** A file that came to or went from a workspace in the name of a conversation. */
export interface WorkspaceChange {
  project_id: ProjectId;
  /** As the client gave it. */
  conversation_id: string;
  kind: 'uploaded' | 'deleted';
  path: string;
}

/**
 * Takes note of a change in its transaction, before the workspace is locked.
 *
 * @throws NotFound when the project has no such conversation; then nothing is changed
 */
export type WorkspaceListener = (tx: Tx, caller: Principal, change: WorkspaceChange) => Promise<void>;

/** Tells of changes in workspaces: the module above that owns conversations of those in their name, and the events of projects. */
@Injectable()
export class WorkspaceChangesService {
  private listener: WorkspaceListener | undefined;

  constructor(private readonly events: ProjectEventsService) {}

  subscribe(listener: WorkspaceListener): void {
    if (this.listener !== undefined) throw new Error('Changes of workspaces have a listener already');
    this.listener = listener;
  }

  /** @throws NotFound when there is no such conversation */
  async publish(tx: Tx, caller: Principal, change: WorkspaceChange): Promise<void> {
    if (this.listener === undefined) throw new NotFound('Conversation');
    await this.listener(tx, caller, change);
  }

  /** Notes files that the caller has changed in a project; in a container of no project, does nothing. */
  note(tx: Tx, caller: Principal, project_id: ProjectId | null, paths: readonly string[]): void {
    if (project_id === null) return;
    this.events.by(tx, caller);
    this.events.noteFiles(tx, project_id, paths);
  }
}
