import { ACTOR_KINDS, type Actor } from '../../events/event-types.js';
import { DateTimeField, EnumField, IntegerField, ObjectField, StringField } from '../../common/validation/fields.js';

/** Actor that caused an event. */
export class EventActor {
  @EnumField(ACTOR_KINDS)
  kind!: Actor['kind'];

  @StringField({
    nullable: true,
    description: 'Id of the actor. For an `agent`, the id of its turn; null for the `service` itself',
  })
  id!: string | null;
}

/** Fields common to all events, except `data`. */
export class EventEnvelope {
  @IntegerField({ description: 'Number of the event in the project, starting at 1' })
  id!: number;

  @StringField()
  project_id!: string;

  @DateTimeField()
  at!: Date;

  @ObjectField(() => EventActor)
  actor!: EventActor;
}
