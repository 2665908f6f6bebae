import { EnumField } from '../validation/fields.js';
import { RESYNC_REASONS, type ResyncReason } from './server-sent-event.js';

/** Some events were lost before the following event. Clients must reload the object that they follow. */
export class ResyncData {
  @EnumField(RESYNC_REASONS)
  reason!: ResyncReason;
}
