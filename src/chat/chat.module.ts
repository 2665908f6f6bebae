import { Module } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { FilesModule } from '../files/files.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ChatController } from './chat.controller.js';
import { ConversationListingService } from './conversations/conversation-listing.service.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { ConversationsService } from './conversations/conversations.service.js';
import { ProjectEnd } from './conversations/project-end.service.js';
import { WorkspaceChangesService } from './conversations/workspace-changes.service.js';
import { AnswersService } from './messages/answers.service.js';
import { MessagesService } from './messages/messages.service.js';
import { PostsService } from './messages/posts.service.js';
import { WindowsService } from './messages/windows.service.js';
import { StreamController } from './stream/stream.controller.js';
import { StreamHub } from './stream/stream-hub.service.js';
import { StreamsService } from './stream/streams.service.js';
import { StopsService } from './turns/stops.service.js';
import { TurnContexts } from './turns/turn-context.service.js';
import { TurnEndings } from './turns/turn-endings.service.js';
import { TurnJobs } from './turns/turn-jobs.js';
import { TurnJournal } from './turns/turn-journal.service.js';
import { TurnMetrics } from './turns/turn-metrics.js';
import { TurnReaper } from './turns/turn-reaper.service.js';
import { TurnRunner } from './turns/turn-runner.service.js';
import { TurnsService } from './turns/turns.service.js';

/** Conversations with the agent: messages come in, turns answer them. */
@Module({
  imports: [MetricsModule, FilesModule, ProjectsModule, SkillsModule, UsageModule, AgentModule],
  controllers: [ChatController, StreamController, ConversationsController],
  providers: [
    ConversationsService,
    WorkspaceChangesService,
    MessagesService,
    AnswersService,
    PostsService,
    WindowsService,
    TurnsService,
    TurnJournal,
    TurnEndings,
    TurnContexts,
    TurnRunner,
    TurnJobs,
    TurnMetrics,
    TurnReaper,
    StopsService,
    StreamHub,
    StreamsService,
    ConversationListingService,
    ProjectEnd,
  ],
})
export class ChatModule {}
