import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Principal } from '../auth/principal.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import { NotFound } from '../common/errors/errors.js';

/** File that was added to or removed from a workspace on behalf of a conversation. */
export interface WorkspaceChange {
  project_id: ProjectId;
  /** Conversation id from the client. */
  conversation_id: string;
  kind: 'uploaded' | 'deleted';
  path: string;
}

/**
 * Records a change in its transaction, before the workspace is locked.
 *
 * @throws NotFound before any change, if the project has no such conversation
 */
export type WorkspaceListener = (tx: Tx, caller: Principal, change: WorkspaceChange) => Promise<void>;

/** Publishes workspace changes to the module that owns conversations, and to the project events. */
@Injectable()
export class WorkspaceChangesService {
  private listener: WorkspaceListener | undefined;

  constructor(private readonly events: ProjectEventsService) {}

  subscribe(listener: WorkspaceListener): void {
    if (this.listener !== undefined) throw new Error('Workspace changes already have a listener');
    this.listener = listener;
  }

  /** @throws NotFound if the conversation does not exist */
  async publish(tx: Tx, caller: Principal, change: WorkspaceChange): Promise<void> {
    if (this.listener === undefined) throw new NotFound('Conversation');
    await this.listener(tx, caller, change);
  }

  /** Records files that the caller has changed in a project. Has no effect for a container without a project. */
  note(tx: Tx, caller: Principal, project_id: ProjectId | null, paths: readonly string[]): void {
    if (project_id === null) return;
    this.events.by(tx, caller);
    this.events.noteFiles(tx, project_id, paths);
  }
}
