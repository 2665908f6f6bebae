import { Global, Module } from '@nestjs/common';
import { EventsChannel } from './events.channel.js';
import { EventsRepository } from './events.repository.js';
import { ProjectEventsService } from './project-events.service.js';

/** Records events. All modules use {@link ProjectEventsService}. */
@Global()
@Module({
  providers: [EventsRepository, EventsChannel, ProjectEventsService],
  exports: [EventsRepository, EventsChannel, ProjectEventsService],
})
export class EventsModule {}
