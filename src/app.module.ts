import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentModule } from './agent/agent.module.js';
import { ChatModule } from './chat/chat.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { FilesModule } from './files/files.module.js';
import { AuthModule } from './platform/auth/auth.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { LoggingModule } from './platform/logging/logging.module.js';
import { NotifyModule } from './platform/notify/notify.module.js';
import { ThrottlingModule } from './platform/throttling/throttling.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { SkillsModule } from './skills/skills.module.js';
import { UsageModule } from './usage/usage.module.js';

/** What one process is made of, beside its settings. */
export interface Surroundings {
  config: Config;
  logger: Logger;
  /** An already migrated database. */
  databaseUrl: string;
}

@Module({})
export class AppModule {
  static in({ config, logger, databaseUrl }: Surroundings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        LoggingModule.with(logger),
        DatabaseModule.at(databaseUrl),
        NotifyModule,
        JobsModule,
        // Before authentication: its guard reads the body, whose syntax errors come first.
        HttpModule,
        AuthModule,
        // After it: who is limited is the caller.
        ThrottlingModule,
        HealthModule,
        UsageModule,
        FilesModule,
        DeploymentsModule,
        ProjectsModule,
        SkillsModule,
        ExecutionsModule,
        AgentModule,
        ChatModule,
      ],
    };
  }
}
