import {
  BooleanField,
  IntegerField,
  NumberField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';

/**
 * Maximum number of pending deliveries per webhook. Additional events are skipped. Concurrent changes in several projects may
 * exceed the maximum slightly.
 */
export const MAX_PENDING = 2_000;

/** Maximum number of paths in an event. */
export const MAX_PATHS = 100;

/** Kinds of actors that cause events. An agent's id is the id of its turn. The service itself has a null id. */
export const ACTOR_KINDS = ['user', 'api_key', 'agent', 'execution', 'service'] as const;

export interface Actor {
  kind: (typeof ACTOR_KINDS)[number];
  id: string | null;
}

export const SERVICE: Actor = { kind: 'service', id: null };

class NoEventData {}

class ProjectUpdatedEventData {
  @StringArrayField({ description: 'Fields that were set; `snapshots` if a snapshot was taken or deleted' })
  fields!: string[];
}

class MemberChangedEventData {
  @StringField()
  user_id!: string;

  @StringField({ nullable: true, description: 'Null if the user is no longer a member' })
  role!: string | null;
}

class CardsChangedEventData {
  @StringArrayField()
  card_ids!: string[];

  @StringArrayField()
  removed_card_ids!: string[];
}

class FilesChangedEventData {
  @StringArrayField({ nullable: true, description: `Null for more than ${MAX_PATHS}` })
  paths!: string[] | null;

  @IntegerField({ description: 'Number of paths' })
  count!: number;
}

class ConversationChangedEventData {
  @StringField()
  conversation_id!: string;

  @BooleanField()
  deleted!: boolean;
}

class MessageCreatedEventData {
  @StringField()
  conversation_id!: string;

  @StringField()
  message_id!: string;

  @StringField()
  role!: string;
}

class TurnDispatchedEventData {
  @StringField()
  conversation_id!: string;

  @StringField()
  turn_id!: string;
}

class TurnEndedEventData extends TurnDispatchedEventData {
  @StringField()
  outcome!: string;

  @StringField({ nullable: true })
  message_id!: string | null;
}

class ExecutionChangedEventData {
  @StringField()
  execution_id!: string;

  @StringField()
  status!: string;
}

/** Progress of an execution, with the same fields as in the execution itself. */
class ExecutionProgressEvent {
  @StringField()
  phase!: string;

  @NumberField({ description: 'Seconds since the attempt began' })
  seconds!: number;

  @NumberField({ nullable: true })
  incumbent!: number | null;

  @NumberField({ nullable: true })
  bound!: number | null;

  @NumberField({ nullable: true })
  gap!: number | null;

  @IntegerField()
  nodes!: number;
}

class ExecutionProgressEventData {
  @StringField()
  execution_id!: string;

  @ObjectField(() => ExecutionProgressEvent)
  progress!: ExecutionProgressEvent;
}

class ScenarioChangedEventData {
  @StringField()
  scenario_id!: string;

  @BooleanField()
  deleted!: boolean;
}

class ConfigChangedEventData {
  @StringField({
    nullable: true,
    description: 'The project’s own skill that changed; null if the deployment’s configuration was pulled',
  })
  skill!: string | null;
}

class BudgetReachedEventData {
  @StringField()
  budget_id!: string;

  @StringField()
  scope!: string;

  @StringField({ nullable: true })
  subject_id!: string | null;

  @StringField()
  period!: string;

  @NumberField()
  limit_credits!: number;

  @StringField()
  action!: string;

  @StringField()
  reached_at!: string;
}

class WebhookDisabledEventData {
  @StringField()
  webhook_id!: string;

  @StringField()
  url!: string;
}

/** Project events in documentation order, with the class of their `data` and the occasion for docs/events.md. */
export const PROJECT_EVENTS = {
  'project.updated': {
    data: ProjectUpdatedEventData,
    when: 'fields were set; `snapshots` if a snapshot was taken or deleted',
  },
  'project.deleted': { data: NoEventData, when: 'the last event before the stream ends' },
  'project.restored': { data: NoEventData, when: 'the project was restored' },
  'member.changed': {
    data: MemberChangedEventData,
    when: 'a member was added or removed (`role` is then null), or was given another role',
  },
  'cards.changed': {
    data: CardsChangedEventData,
    when: 'cards were changed, or their derived fields changed with other cards or files',
  },
  'files.changed': {
    data: FilesChangedEventData,
    when: `workspace files were changed; \`paths\` is null for more than ${MAX_PATHS}`,
  },
  'conversation.changed': {
    data: ConversationChangedEventData,
    when: 'a conversation was created, renamed or deleted',
  },
  'message.created': {
    data: MessageCreatedEventData,
    when: 'a message was added; for the agent, as soon as its message starts',
  },
  'turn.dispatched': { data: TurnDispatchedEventData, when: 'the turn was queued and is waiting for a worker' },
  'turn.ended': { data: TurnEndedEventData, when: 'the turn ended' },
  'execution.changed': {
    data: ExecutionChangedEventData,
    when: 'the status of an execution changed, starting with `queued`',
  },
  'execution.progress': { data: ExecutionProgressEventData, when: 'every second while the execution runs' },
  'scenario.changed': { data: ScenarioChangedEventData, when: 'a scenario was created, changed or deleted' },
  'config.changed': {
    data: ConfigChangedEventData,
    when: "the project's own skill changed; `skill` is null if the deployment's configuration was pulled",
  },
};

/** Company events, which do not belong to a project. Only webhooks receive them. */
export const COMPANY_EVENTS = {
  'budget.reached': {
    data: BudgetReachedEventData,
    when: 'a budget reached its limit; sent within a minute, once per period',
  },
  'webhook.disabled': {
    data: WebhookDisabledEventData,
    when: 'a webhook became inactive because its deliveries failed',
  },
};

type DataOf<Events extends Record<string, { data: new () => object }>> = {
  [Type in keyof Events]: InstanceType<Events[Type]['data']>;
};
export type ProjectEventData = DataOf<typeof PROJECT_EVENTS>;
export type CompanyEventData = DataOf<typeof COMPANY_EVENTS>;

/** Event types that a webhook can subscribe to. */
export const EVENT_TYPES = [...Object.keys(PROJECT_EVENTS), ...Object.keys(COMPANY_EVENTS)];
