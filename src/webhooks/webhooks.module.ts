import { Module } from '@nestjs/common';
import { SecretsModule } from '../common/secrets/secrets.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookEndings } from './webhook-endings.service.js';
import { WebhookQueue } from './webhook-queue.service.js';
import { WebhookRelay } from './webhook-relay.service.js';
import { WebhookRunner } from './webhook-runner.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

/** Events that are sent to other programs. */
@Module({
  imports: [SecretsModule, ProjectsModule],
  controllers: [WebhooksController],
  providers: [
    WebhooksRepository,
    WebhookDeliveriesRepository,
    WebhookSecrets,
    WebhooksService,
    WebhookDeliveries,
    WebhookQueue,
    WebhookRelay,
    WebhookEndings,
    WebhookRunner,
  ],
})
export class WebhooksModule {}
