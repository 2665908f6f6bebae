import { Module } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { FilesModule } from '../files/files.module.js';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ChatController } from './chat.controller.js';
import { ChatHistoryService } from './chat-history.service.js';
import { ConversationRemovalService } from './conversation-removal.service.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { WorkspaceChangeRecorderService } from './conversations/workspace-change-recorder.service.js';
import { WorkspaceChangesRepository } from './conversations/workspace-changes.repository.js';
import { ConversationsController } from './conversations.controller.js';
import { ConversationsService } from './conversations.service.js';
import { AnswersService } from './messages/answers.service.js';
import { RecentMessagesService } from './messages/recent-messages.service.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { NewMessagesService } from './new-messages.service.js';
import { PostMessageService } from './post-message.service.js';
import { ProjectConversationsService } from './project-conversations.service.js';
import { StopTurnService } from './stop-turn.service.js';
import { StreamHubService } from './stream/stream-hub.service.js';
import { StreamReadsRepository } from './stream/stream-reads.repository.js';
import { StreamController } from './stream/stream.controller.js';
import { StreamsService } from './stream/streams.service.js';
import { TurnContextsService } from './turns/turn-contexts.service.js';
import { AskersService } from './turns/askers.service.js';
import { TurnClosingService } from './turns/turn-closing.service.js';
import { TurnEndingsService } from './turns/turn-endings.service.js';
import { TurnEventsRepository } from './turns/turn-events.repository.js';
import { TurnJournalService } from './turns/turn-journal.service.js';
import { TurnMetricsService } from './turns/turn-metrics.service.js';
import { TurnQueueService } from './turns/turn-queue.service.js';
import { TurnReaperService } from './turns/turn-reaper.service.js';
import { TurnRunnerService } from './turns/turn-runner.service.js';
import { TurnStartsService } from './turns/turn-starts.service.js';
import { TurnStoppedChannel } from './turns/turn-stopped.channel.js';
import { TurnWorkerService } from './turns/turn-worker.service.js';
import { TurnsRepository } from './turns/turns.repository.js';

/** Provides conversations with the agent. Users post messages, and turns answer them. */
@Module({
  imports: [HealthModule, MetricsModule, FilesModule, ProjectsModule, SkillsModule, UsageModule, AgentModule],
  controllers: [ChatController, StreamController, ConversationsController],
  // Services of the controllers, followed by the providers of each folder. Each folder imports only from folders below it in
  // this list.
  providers: [
    PostMessageService,
    NewMessagesService,
    ChatHistoryService,
    StopTurnService,
    ConversationsService,
    ConversationRemovalService,
    ProjectConversationsService,
    // stream
    StreamReadsRepository,
    StreamHubService,
    StreamsService,
    // turns
    TurnsRepository,
    TurnEventsRepository,
    TurnWorkerService,
    TurnReaperService,
    TurnRunnerService,
    TurnQueueService,
    TurnContextsService,
    AskersService,
    TurnJournalService,
    TurnEndingsService,
    TurnClosingService,
    TurnStartsService,
    TurnStoppedChannel,
    TurnMetricsService,
    // conversations
    ConversationsRepository,
    WorkspaceChangesRepository,
    WorkspaceChangeRecorderService,
    ConversationChangedChannel,
    // messages
    MessagesRepository,
    RecentMessagesService,
    AnswersService,
  ],
})
export class ChatModule {}
