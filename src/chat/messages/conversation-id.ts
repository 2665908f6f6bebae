import type { CheckedId } from '../../platform/database/checked-id.js';

export type ConversationId = CheckedId<'Conversation'>;
