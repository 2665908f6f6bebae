import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { EventsChannel } from '../../events/events.channel.js';
import { EventsRepository, type FollowingEvents } from '../../events/events.repository.js';
import { ChangeHub } from '../../common/event-stream/change-hub.js';
import { LOGGER } from '../../common/logging/logging.module.js';

/**
 * Wakes the readers of project events when new events arrive, and reads the events for them. A cursor is the id of the last
 * event that a reader has received.
 */
@Injectable()
export class ProjectEventHubService extends ChangeHub<number, FollowingEvents> {
  constructor(
    private readonly events: EventsRepository,
    channel: EventsChannel,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(channel, logger);
  }

  protected async following(project_id: string, last: number): Promise<FollowingEvents | null> {
    return await this.events.following(project_id, last);
  }

  protected async headsOf(projectIds: string[]): Promise<Map<string, string>> {
    return await this.events.heads(projectIds);
  }

  protected keyOf(last: number): string {
    return String(last);
  }
}
