import { Global, Module } from '@nestjs/common';
import { EventsChannel } from './events.channel.js';
import { EventsRepository } from './events.repository.js';
import { ProjectEventsService } from './project-events.service.js';

/** What happens in projects: {@link ProjectEventsService} is where every module notes it. */
@Global()
@Module({
  providers: [EventsRepository, EventsChannel, ProjectEventsService],
  exports: [EventsRepository, EventsChannel, ProjectEventsService],
})
export class EventsModule {}
