import { Module } from '@nestjs/common';
import { SecretsModule } from '../common/secrets/secrets.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookEndingsService } from './webhook-endings.service.js';
import { WebhookRunnerService } from './webhook-runner.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

/** Sends events to other programs. */
@Module({
  imports: [SecretsModule, ProjectsModule],
  controllers: [WebhooksController],
  providers: [
    WebhooksRepository,
    WebhookDeliveriesRepository,
    WebhookSecretsService,
    WebhooksService,
    WebhookDeliveriesService,
    WebhookEndingsService,
    WebhookRunnerService,
  ],
})
export class WebhooksModule {}
