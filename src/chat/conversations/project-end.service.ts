import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { ProjectDeletion } from '../../projects/deletion.service.js';
import { ProjectPurge } from '../../projects/purge.service.js';
import { StopsService } from '../turns/stops.service.js';
import { TurnEndings } from '../turns/turn-endings.service.js';
import { removePage } from './conversation-rows.js';
import { ConversationsService } from './conversations.service.js';

/** What the end of a project means for its conversations. */
@Injectable()
export class ProjectEnd implements OnModuleInit {
  constructor(
    private readonly deletion: ProjectDeletion,
    private readonly purge: ProjectPurge,
    private readonly conversations: ConversationsService,
    private readonly endings: TurnEndings,
    private readonly stops: StopsService,
  ) {}

  onModuleInit(): void {
    this.deletion.onDelete(async (tx, { id }) => await this.end(tx, id));
    this.purge.onPurge(async (tx, project_id) => {
      const [next]: { id: string }[] = await tx.query('SELECT id FROM conversations WHERE project_id = $1 LIMIT 1', [
        project_id,
      ]);
      return next !== undefined && (await removePage(tx, next.id));
    });
  }

  /** Ends every conversation of a locked project: active turns are stopped, streams close. */
  private async end(tx: Tx, project_id: string): Promise<() => void> {
    const [conversations]: [{ id: string }[], number] = await tx.query(
      'UPDATE conversations SET deleted_at = now() WHERE project_id = $1 RETURNING id',
      [project_id],
    );
    const active: { id: string; conversation_id: string }[] = await tx.query(
      `SELECT id, conversation_id FROM turns
        WHERE conversation_id IN (SELECT id FROM conversations WHERE project_id = $1) AND state <> 'ended'`,
      [project_id],
    );
    for (const { id, conversation_id } of active) await this.endings.stop(tx, conversation_id, id);
    return () => {
      for (const { id } of conversations) this.conversations.announce(id);
      for (const { id, conversation_id } of active) this.stops.announce(conversation_id, id);
    };
  }
}
