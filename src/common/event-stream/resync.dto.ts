import { EnumField } from '../validation/fields.js';
import { RESYNC_REASONS, type ResyncReason } from './server-sent-event.js';

/** Some events before the next event were lost. Clients must reload the object that they follow. */
export class ResyncData {
  @EnumField(RESYNC_REASONS)
  reason!: ResyncReason;
}
