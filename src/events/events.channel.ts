import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../database/notifications.service.js';

const CHANNEL = 'project_events';

/** Notifies every process of new events. The key is the id of their stream. */
@Injectable()
export class EventsChannel {
  constructor(private readonly notifications: NotificationsService) {}

  /** Announces new events. Call it after they have committed. */
  send(project_id: string): void {
    this.notifications.send(CHANNEL, project_id, { canWait: true });
  }

  /** Registers a listener. Must be called while modules initialize. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
