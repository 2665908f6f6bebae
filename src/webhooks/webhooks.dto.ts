import { EVENT_TYPES, MAX_PENDING } from '../events/event-types.js';
import { creationPosition } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { Rule } from '../common/validation/field.js';
import { type ErrorEntry, invalidValue } from '../common/errors/errors.js';
import { DELIVERY_STATES, type DeliveryState, type WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

const MAX_URL_LENGTH = 2048;
const URL_DESCRIPTION = 'Public https address';
const EVENTS_DESCRIPTION = `Event types to send: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}`;
const PROJECT_DESCRIPTION =
  'Sends only events of this project. If null, sends events of all projects and of the company';

const eventTypes = new Set<string>(EVENT_TYPES);
const eventProblems = ({ events }: { events?: string[] }): ErrorEntry[] => {
  if (events === undefined) return [];
  if (events.length === 0) return [invalidValue(['events'], 'list at least one event type', events)];
  return events.flatMap((type, index) =>
    eventTypes.has(type) ? [] : [invalidValue(['events', index], 'there is no such event type', type)],
  );
};

@Rule<WebhookCreateRequest>(eventProblems)
export class WebhookCreateRequest {
  @StringField({ minLength: 1, maxLength: MAX_URL_LENGTH, description: URL_DESCRIPTION })
  url!: string;

  @StringArrayField({ maxItems: EVENT_TYPES.length, description: EVENTS_DESCRIPTION })
  events!: string[];

  @StringField({ optional: true, nullable: true, description: PROJECT_DESCRIPTION })
  project_id?: string | null;
}

/** Change to a webhook. Absent fields are unchanged. */
@Rule<WebhookUpdateRequest>(eventProblems)
export class WebhookUpdateRequest {
  @StringField({ optional: true, minLength: 1, maxLength: MAX_URL_LENGTH, description: URL_DESCRIPTION })
  url?: string;

  @StringArrayField({ optional: true, maxItems: EVENT_TYPES.length, description: EVENTS_DESCRIPTION })
  events?: string[];

  @StringField({ optional: true, nullable: true, description: PROJECT_DESCRIPTION })
  project_id?: string | null;

  @BooleanField({ optional: true, description: 'If false, nothing is sent, and waiting deliveries fail' })
  active?: boolean;
}

export class WebhookResponse {
  @StringField()
  id!: string;

  @StringField()
  url!: string;

  @StringArrayField({ description: EVENTS_DESCRIPTION })
  events!: string[];

  @StringField({ nullable: true, description: PROJECT_DESCRIPTION })
  project_id!: string | null;

  @BooleanField()
  active!: boolean;

  @IntegerField({
    description: 'Number of failed deliveries since the last success. After 100 failures, the webhook becomes inactive',
  })
  failures!: number;

  @IntegerField({
    description: `Number of events that were never sent because ${MAX_PENDING} deliveries were waiting. Read the missed changes from the API`,
  })
  skipped_events!: number;

  @DateTimeField({ nullable: true, description: 'Time of the last skipped event; null if no event was skipped' })
  last_skipped_at!: Date | null;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  static from(webhook: Webhook): WebhookResponse {
    const { id, url, events, project_id, active, failures, skipped_events, last_skipped_at, created_at, updated_at } =
      webhook;
    return { id, url, events, project_id, active, failures, skipped_events, last_skipped_at, created_at, updated_at };
  }
}

export class WebhookCreatedResponse extends WebhookResponse {
  @StringField({ description: 'Signing secret. Returned only once, when the webhook is created' })
  secret!: string;

  static with({ webhook, secret }: { webhook: Webhook; secret: string }): WebhookCreatedResponse {
    return { ...WebhookResponse.from(webhook), secret };
  }
}

/** The company's webhooks, newest first. */
export class WebhookListResponse extends WalkResponse {
  @ObjectArrayField(() => WebhookResponse)
  webhooks!: WebhookResponse[];

  static from(page: Page<Webhook>, query: WalkQuery): WebhookListResponse {
    const webhooks = page.rows.map((row) => WebhookResponse.from(row));
    return { webhooks, ...creationPosition('webhooks', page, query) };
  }
}

export class WebhookDeliveryResponse {
  @StringField()
  id!: string;

  @StringField({ description: 'Value of the `webhook-id` header. The same for every attempt' })
  message_id!: string;

  @StringField({ description: 'Type of the event; `webhook.test` for a test' })
  type!: string;

  @EnumField(DELIVERY_STATES)
  state!: DeliveryState;

  @IntegerField({ description: 'Number of attempts' })
  attempts!: number;

  @DateTimeField({ nullable: true, description: 'Time of the next attempt; null unless the delivery is pending' })
  next_attempt_at!: Date | null;

  @DateTimeField({ nullable: true })
  last_attempt_at!: Date | null;

  @IntegerField({ nullable: true, description: 'Status of the last response; null without a response' })
  response_status!: number | null;

  @StringField({ nullable: true, description: 'First kilobyte of the last response' })
  response!: string | null;

  @StringField({ nullable: true, description: 'Reason why the response is missing, or why deliveries have stopped' })
  error!: string | null;

  @DateTimeField()
  created_at!: Date;

  static from(row: WebhookDelivery): WebhookDeliveryResponse {
    const { id, message_id, type, state, attempts, next_attempt_at, last_attempt_at } = row;
    const { response_status, response, error, created_at } = row;
    const times = { next_attempt_at, last_attempt_at, created_at };
    return { id, message_id, type, state, attempts, ...times, response_status, response, error };
  }
}

/** A webhook's deliveries in the last 7 days, newest first. */
export class WebhookDeliveryListResponse extends WalkResponse {
  @ObjectArrayField(() => WebhookDeliveryResponse)
  deliveries!: WebhookDeliveryResponse[];

  static from(page: Page<WebhookDelivery>, query: WalkQuery): WebhookDeliveryListResponse {
    const deliveries = page.rows.map((row) => WebhookDeliveryResponse.from(row));
    return { deliveries, ...creationPosition('webhook deliveries', page, query) };
  }
}
