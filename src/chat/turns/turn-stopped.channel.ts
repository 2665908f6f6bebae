import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../../database/notifications.service.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { TurnMetricsService } from './turn-metrics.service.js';

const CHANNEL = 'stopped_turns';

/** Tells every process of turns that were taken from the process that runs them; the key is the turn's id. */
@Injectable()
export class TurnStoppedChannel {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly changed: ConversationChangedChannel,
    private readonly metrics: TurnMetricsService,
  ) {}

  /** Counts a turn that was stopped, and tells of it, also those who follow its conversation. Call it once its end has committed. */
  send(conversation_id: ConversationId, turn_id: string): void {
    this.metrics.ended('stopped');
    this.notifications.send(CHANNEL, turn_id);
    this.changed.send(conversation_id);
  }

  /** Called while modules initialise. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
