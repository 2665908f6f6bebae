import { Injectable } from '@nestjs/common';
import { type Listener, NotificationsService } from '../database/notifications.service.js';

const CHANNEL = 'project_events';

/** Tells every process of projects that have new events; the key is the project's id. */
@Injectable()
export class EventsChannel {
  constructor(private readonly notifications: NotificationsService) {}

  /** Call it once the events have committed. */
  send(project_id: string): void {
    this.notifications.send(CHANNEL, project_id, { canWait: true });
  }

  /** Called while modules initialise. */
  listen(listener: Listener): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
