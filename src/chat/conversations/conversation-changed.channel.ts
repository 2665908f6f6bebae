import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../../database/notifications.service.js';

const CHANNEL = 'conversations';

/** Notifies every process of changes to conversations. The notification key is the conversation's id. */
@Injectable()
export class ConversationChangedChannel {
  constructor(private readonly notifications: NotificationsService) {}

  /** Announces a change. Must be called after the change was committed. */
  send(conversation_id: ConversationId): void {
    this.notifications.send(CHANNEL, conversation_id);
  }

  /** Registers a listener. Must be called while modules initialize. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
