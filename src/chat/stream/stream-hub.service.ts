import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ChangeHub } from '../../common/event-stream/change-hub.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { eventId } from './position.js';
import { type Cursor, type Following, StreamReadsRepository } from './stream-reads.repository.js';

/** Wakes the readers of a conversation when the conversation changes, and reads the updates for them. */
@Injectable()
export class StreamHubService extends ChangeHub<Cursor, Following> {
  constructor(
    private readonly reads: StreamReadsRepository,
    changed: ConversationChangedChannel,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(changed, logger);
  }

  protected async following(id: string, cursor: Cursor): Promise<Following | null> {
    return await this.reads.following(id, cursor);
  }

  protected async headsOf(ids: string[]): Promise<Map<string, string>> {
    return await this.reads.heads(ids);
  }

  protected keyOf({ turn_id, next_seq, sequence }: Cursor): string {
    return `${eventId(turn_id, next_seq)} ${sequence}`;
  }
}
