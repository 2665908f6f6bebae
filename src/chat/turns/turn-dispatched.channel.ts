import { Injectable } from '@nestjs/common';
import { NotificationsService } from '../../database/notifications.service.js';

const CHANNEL = 'dispatched_turns';

/** Tells every process that a turn waits for a worker. */
@Injectable()
export class TurnDispatchedChannel {
  constructor(private readonly notifications: NotificationsService) {}

  /** Call it once the turn has committed. */
  send(): void {
    // Whoever hears it looks for all that wait: one key for all is sent once, however many there are.
    this.notifications.send(CHANNEL, 'turn');
  }

  /** Called while modules initialise. */
  listen(listener: () => void): void {
    this.notifications.listen(CHANNEL, listener);
  }
}
