import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../../database/notifications.service.js';

const CHANNEL = 'conversations';

/** Tells every process of conversations in which something has changed; the key is the conversation's id. */
@Injectable()
export class ConversationChangedChannel {
  constructor(private readonly notifications: NotificationsService) {}

  /** Call it once the change has committed. */
  send(conversation_id: ConversationId): void {
    this.notifications.send(CHANNEL, conversation_id);
  }

  /** Called while modules initialise. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
