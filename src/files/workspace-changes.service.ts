import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import type { CheckedId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import { NotFound } from '../common/errors/errors.js';

/** A file that came to or went from a workspace in the name of a conversation. */
export interface WorkspaceChange {
  project_id: CheckedId<'Project'>;
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

/** Tells the module above that owns conversations what happens in workspaces in their name. */
@Injectable()
export class WorkspaceChangesService {
  private listener: WorkspaceListener | undefined;

  subscribe(listener: WorkspaceListener): void {
    if (this.listener !== undefined) throw new Error('Changes of workspaces have a listener already');
    this.listener = listener;
  }

  /** @throws NotFound when there is no such conversation */
  async publish(tx: Tx, caller: Principal, change: WorkspaceChange): Promise<void> {
    if (this.listener === undefined) throw new NotFound('Conversation');
    await this.listener(tx, caller, change);
  }
}
