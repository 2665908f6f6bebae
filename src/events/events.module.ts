import { Global, Module } from '@nestjs/common';
import { EventsChannel } from './events.channel.js';
import { EventsRepository } from './events.repository.js';
import { ProjectEvents } from './project-events.service.js';

/** What happens in projects: {@link ProjectEvents} is where every module notes it. */
@Global()
@Module({
  providers: [EventsRepository, EventsChannel, ProjectEvents],
  exports: [EventsRepository, EventsChannel, ProjectEvents],
})
export class EventsModule {}
