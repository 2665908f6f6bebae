import { EnumField } from '../validation/fields.js';
import { RESYNC_REASONS, type ResyncReason } from './server-sent-event.js';

/** Events are missing before the following ones: read again what is followed. */
export class ResyncData {
  @EnumField(RESYNC_REASONS)
  reason!: ResyncReason;
}
