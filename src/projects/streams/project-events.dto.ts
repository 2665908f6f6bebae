import { ACTOR_KINDS, type Actor, MAX_PATHS, type ProjectEventType } from '../../events/event-types.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../../common/validation/fields.js';

/** Who has caused an event. */
export class EventActor {
  @EnumField(ACTOR_KINDS)
  kind!: Actor['kind'];

  @StringField({ nullable: true, description: 'Of an `agent` the turn’s; null for the `service` itself' })
  id!: string | null;
}

/** What every event has beside its `data`. */
export class EventEnvelope {
  @IntegerField({ description: 'Counts the events of the project from 1' })
  id!: number;

  @StringField()
  project_id!: string;

  @DateTimeField()
  at!: Date;

  @ObjectField(() => EventActor)
  actor!: EventActor;
}

/** Nothing more is to be said. */
export class NoEventData {}

/** The project itself was changed. */
export class ProjectUpdatedEventData {
  @StringArrayField({ description: 'Fields that were set; `snapshots` when one was taken or deleted' })
  fields!: string[];
}

/** Somebody became a member, has another role, or is no member any more. */
export class MemberChangedEventData {
  @StringField()
  user_id!: string;

  @StringField({ nullable: true, description: 'Null for somebody who is no member any more' })
  role!: string | null;
}

/** Cards were created, changed or deleted, by whomever. */
export class CardsChangedEventData {
  @StringArrayField()
  card_ids!: string[];

  @StringArrayField()
  removed_card_ids!: string[];
}

/** Files or directories of the workspace were written, moved or deleted. */
export class FilesChangedEventData {
  @StringArrayField({ nullable: true, description: `Null for more than ${MAX_PATHS}` })
  paths!: string[] | null;

  @IntegerField({ description: 'Number of paths' })
  count!: number;
}

/** A conversation was created, renamed or deleted. */
export class ConversationChangedEventData {
  @StringField()
  conversation_id!: string;

  @BooleanField()
  deleted!: boolean;
}

/** A message was added, of the agent as soon as it begins. */
export class MessageCreatedEventData {
  @StringField()
  conversation_id!: string;

  @StringField()
  message_id!: string;

  @StringField()
  role!: string;
}

/** A turn waits for a worker. */
export class TurnDispatchedEventData {
  @StringField()
  conversation_id!: string;

  @StringField()
  turn_id!: string;
}

/** A turn is over. */
export class TurnEndedEventData extends TurnDispatchedEventData {
  @StringField()
  outcome!: string;

  @StringField({ nullable: true })
  message_id!: string | null;
}

/** An execution has another status. */
export class ExecutionChangedEventData {
  @StringField()
  execution_id!: string;

  @StringField()
  status!: string;
}

/** How far an execution is, as it is in the execution. */
export class ExecutionProgressEvent {
  @StringField()
  phase!: string;

  @NumberField({ description: 'Since the attempt began' })
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

/** An execution has come further. */
export class ExecutionProgressEventData {
  @StringField()
  execution_id!: string;

  @ObjectField(() => ExecutionProgressEvent)
  progress!: ExecutionProgressEvent;
}

/** A scenario was created, changed or deleted. */
export class ScenarioChangedEventData {
  @StringField()
  scenario_id!: string;

  @BooleanField()
  deleted!: boolean;
}

/** What the agent is told to do has changed. */
export class ConfigChangedEventData {
  @StringField({
    nullable: true,
    description: 'The project’s own skill that changed; null when the deployment’s configuration was taken over',
  })
  skill!: string | null;
}

/** The `data.data` of each type of event. */
export const PROJECT_EVENTS: Record<ProjectEventType, new () => object> = {
  'project.updated': ProjectUpdatedEventData,
  'project.deleted': NoEventData,
  'project.restored': NoEventData,
  'member.changed': MemberChangedEventData,
  'cards.changed': CardsChangedEventData,
  'files.changed': FilesChangedEventData,
  'conversation.changed': ConversationChangedEventData,
  'message.created': MessageCreatedEventData,
  'turn.dispatched': TurnDispatchedEventData,
  'turn.ended': TurnEndedEventData,
  'execution.changed': ExecutionChangedEventData,
  'execution.progress': ExecutionProgressEventData,
  'scenario.changed': ScenarioChangedEventData,
  'config.changed': ConfigChangedEventData,
};
