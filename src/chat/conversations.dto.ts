import { creationPosition } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import { BooleanField, DateTimeField, ObjectArrayField, StringField } from '../common/validation/fields.js';
import { Tagged } from '../common/etag/tagged.js';
import { conversationTag } from './conversations/conversations.repository.js';
import type { Conversation } from './conversations/conversation.entity.js';

const title = { minLength: 1, maxLength: 200, nullable: true, example: 'Night shifts' };

/** Request to create or change a conversation. */
export class ConversationWriteRequest {
  @StringField({
    ...title,
    optional: true,
    description: 'Null removes the title. If absent, the title is unchanged, and a new conversation has no title',
  })
  title?: string | null;
}

export class ConversationResponse {
  @StringField()
  id!: string;

  @StringField(title)
  title!: string | null;

  @BooleanField({ description: 'Whether requests without `conversation_id` use this conversation' })
  is_default!: boolean;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField({ description: 'Time of the newest message or change' })
  updated_at!: Date;

  static from({ id, title, is_default, created_at, updated_at }: Conversation): ConversationResponse {
    return { id, title, is_default, created_at, updated_at };
  }

  static tagged(conversation: Conversation): Tagged<ConversationResponse> {
    return Tagged.of(conversationTag(conversation), ConversationResponse.from(conversation));
  }
}

/** Conversations in a project, most recently changed first. */
export class ConversationListResponse extends WalkResponse {
  @ObjectArrayField(() => ConversationResponse)
  conversations!: ConversationResponse[];

  static from(page: Page<Conversation>, query: WalkQuery): ConversationListResponse {
    const conversations = page.rows.map((row) => ConversationResponse.from(row));
    return { conversations, ...creationPosition('conversations', page, query) };
  }
}
