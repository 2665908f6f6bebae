import type { CheckedId } from '../../database/checked-id.js';

export type ConversationId = CheckedId<'Conversation'>;
