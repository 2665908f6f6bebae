import { createHash } from 'node:crypto';
import type { QuestionAnswer } from '../../packages/conversation/index.js';
import type { Principal } from '../auth/principal.js';
import type { ChatMessageCreate } from './chat.dto.js';

/** Identity of a post with a client_msg_id, as message columns. */
export interface PostIdentity {
  client_msg_id: string;
  /** Hash of the author and client_msg_id. Unique in the project. */
  client_msg_key: Buffer;
  /** Hash of the whole posted content. */
  payload_hash: Buffer;
}

/** Returns the key for a client_msg_id. Different authors get different keys. */
export const clientKey = ({ kind, user_id, api_key_id }: Principal, client_msg_id: string): Buffer =>
  hash([kind, user_id ?? api_key_id, client_msg_id]);

/** Returns the identity of a post, or null if it has no client_msg_id. */
export function identify(
  author: Principal,
  conversation_id: string,
  { client_msg_id, content, file_ids, context, answer }: ChatMessageCreate,
): PostIdentity | null {
  if (client_msg_id == null) return null;
  const payload = [
    content,
    conversation_id,
    file_ids ?? null,
    context?.map(({ id, type }) => [id, type]) ?? null,
    answer == null
      ? null
      : [[...(answer.selections ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)), answer.other_text ?? null],
  ];
  return {
    client_msg_id,
    client_msg_key: clientKey(author, client_msg_id),
    payload_hash: hash(payload),
  };
}

/** Converts an answer from a request to the format in which it is stored and returned. */
export function toQuestionAnswer({ selections, other_text }: NonNullable<ChatMessageCreate['answer']>): QuestionAnswer {
  return {
    selections: Object.fromEntries(selections ?? []),
    ...(other_text !== undefined && { other_text }),
  };
}

const hash = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();
