import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../../database/notifications.service.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { TurnMetricsService } from './turn-metrics.service.js';

const CHANNEL = 'stopped_turns';

/**
 * Notifies every process of stopped turns, because any process may be running them. The notification key is the turn's id.
 */
@Injectable()
export class TurnStoppedChannel {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly changed: ConversationChangedChannel,
    private readonly metrics: TurnMetricsService,
  ) {}

  /**
   * Counts a stopped turn and notifies the processes, including readers of its conversation. Must be called after its end was
   * committed.
   */
  send(conversation_id: ConversationId, turn_id: string): void {
    this.metrics.countEnd('stopped');
    this.notifications.send(CHANNEL, turn_id);
    this.changed.send(conversation_id);
  }

  /** Registers a listener. Must be called while modules initialize. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
