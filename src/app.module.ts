import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Logger } from 'pino';
import { AgentModule } from './agent/agent.module.js';
import { ChatModule } from './chat/chat.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { EventsModule } from './events/events.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { FilesModule } from './files/files.module.js';
import { AuthGuard } from './auth/auth.guard.js';
import { CredentialExpiryGuard } from './auth/credential-expiry.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { RoleGuard } from './auth/role.guard.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { BodyGuard } from './common/http/body.guard.js';
import { HttpModule } from './common/http/http.module.js';
import { RoutingGuard } from './common/http/routing.guard.js';
import { IdempotencyModule } from './common/idempotency/idempotency.module.js';
import { QueuesModule } from './database/queues/queues.module.js';
import { LoggingModule } from './common/logging/logging.module.js';
import { MetricsModule } from './common/metrics/metrics.module.js';
import { FairShareGuard } from './common/throttling/fair-share.guard.js';
import { RateLimitGuard } from './common/throttling/rate-limit.guard.js';
import { ThrottlingModule } from './common/throttling/throttling.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ScenariosModule } from './scenarios/scenarios.module.js';
import { SkillsModule } from './skills/skills.module.js';
import { TablesModule } from './tables/tables.module.js';
import { UsageModule } from './usage/usage.module.js';
import { WebModule } from './web/web.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Dependencies that are created before the application. */
export interface AppOptions {
  config: Config;
  logger: Logger;
  /** URL of an already migrated database. */
  databaseUrl: string;
}

/** Guards that run before a request's handler, in order. */
const GUARDS = [RoutingGuard, AuthGuard, RateLimitGuard, BodyGuard, CredentialExpiryGuard, RoleGuard, FairShareGuard];

@Module({})
export class AppModule {
  static forRoot({ config, logger, databaseUrl }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        LoggingModule.forRoot(logger),
        DatabaseModule.forRoot(databaseUrl),
        // Routes are matched in the order of the modules, so the most frequently used routes come first.
        ChatModule,
        ProjectsModule,
        QueuesModule,
        IdempotencyModule,
        MetricsModule,
        HttpModule,
        AuthModule,
        ThrottlingModule,
        HealthModule,
        EventsModule,
        UsageModule,
        FilesModule,
        TablesModule,
        DeploymentsModule,
        SkillsModule,
        ExecutionsModule,
        ScenariosModule,
        AgentModule,
        WebhooksModule,
        WebModule.forRoot(config),
      ],
      providers: GUARDS.map((guard) => ({ provide: APP_GUARD, useClass: guard })),
    };
  }
}
