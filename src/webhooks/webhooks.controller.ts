import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { CompanyCaller, type CompanyPrincipal } from '../auth/company-level.js';
import { CompanyLevel } from '../auth/decorators.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { Operation } from '../common/openapi/operation.js';
import { MAX_WEBHOOKS } from './webhook.entity.js';
import {
  WebhookCreatedResponse,
  WebhookCreateRequest,
  WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookListResponse,
  WebhookResponse,
  WebhookUpdateRequest,
} from './webhooks.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhooksService } from './webhooks.service.js';

@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post()
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'Create webhook',
    example: { url: 'https://example.com/hook', events: ['project.deleted', 'execution.changed'] },
    description:
      'Sends the company’s future events, each at least once. Events from the same project arrive in order while deliveries ' +
      'succeed. The body is the event, signed according to the Standard Webhooks specification. Only public ' +
      'https URLs are accepted, and redirects are not followed. Each attempt times out after 10 seconds. Without a 2xx ' +
      'response, the delivery is retried for 24 hours, while other events are still sent. A company has at most ' +
      `${MAX_WEBHOOKS} webhooks.`,
    status: 201,
    response: WebhookCreatedResponse,
    errors: ['too_many_webhooks'],
    idempotent: true,
    extension: true,
  })
  async createWebhook(
    @CompanyCaller() caller: CompanyPrincipal,
    @Body() body: WebhookCreateRequest,
  ): Promise<WebhookCreatedResponse> {
    return await this.webhooks.create(caller, body);
  }

  @Get()
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Newest first.',
    response: WebhookListResponse,
    extension: true,
  })
  async listWebhooks(
    @CompanyCaller() caller: CompanyPrincipal,
    @Query() query: WalkQuery,
  ): Promise<WebhookListResponse> {
    return WebhookListResponse.from(await this.webhooks.list(caller, query), query);
  }

  @Patch(':webhook_id')
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'Update webhook',
    example: { events: ['project.deleted'], active: true },
    description: 'If you activate a webhook again, it receives only events from then on.',
    response: WebhookResponse,
    extension: true,
  })
  async updateWebhook(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('webhook_id') webhookId: string,
    @Body() body: WebhookUpdateRequest,
  ): Promise<WebhookResponse> {
    return WebhookResponse.from(await this.webhooks.update(caller, webhookId, body));
  }

  @Delete(':webhook_id')
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'Delete webhook',
    description: 'Waiting deliveries are not sent.',
    status: 204,
    extension: true,
  })
  async deleteWebhook(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('webhook_id') webhookId: string,
  ): Promise<void> {
    await this.webhooks.delete(caller, webhookId);
  }

  @Post(':webhook_id/test')
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'Test webhook',
    description: 'Sends a `webhook.test` event with empty data. List the deliveries to see the result.',
    status: 201,
    response: WebhookDeliveryResponse,
    errors: ['webhook_inactive'],
    idempotent: true,
    extension: true,
  })
  async testWebhook(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('webhook_id') webhookId: string,
  ): Promise<WebhookDeliveryResponse> {
    return await this.deliveries.test(caller, webhookId);
  }

  @Get(':webhook_id/deliveries')
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'List webhook deliveries',
    description: 'Returns the deliveries of the last 7 days, newest first, each with the result of its last attempt.',
    response: WebhookDeliveryListResponse,
    extension: true,
  })
  async listWebhookDeliveries(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('webhook_id') webhookId: string,
    @Query() query: WalkQuery,
  ): Promise<WebhookDeliveryListResponse> {
    return WebhookDeliveryListResponse.from(await this.deliveries.page(caller, webhookId, query), query);
  }

  @Post(':webhook_id/deliveries/:delivery_id/resend')
  @CompanyLevel()
  @Operation({
    tag: 'Webhooks',
    summary: 'Resend webhook delivery',
    description:
      'Sends the delivery again with the same `webhook-id`, regardless of its result, and retries for another 24 ' +
      'hours.',
    response: WebhookDeliveryResponse,
    errors: ['webhook_inactive'],
    idempotent: true,
    extension: true,
  })
  async resendWebhookDelivery(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<WebhookDeliveryResponse> {
    return await this.deliveries.resend(caller, webhookId, deliveryId);
  }
}
