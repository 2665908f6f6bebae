import { createHash } from 'node:crypto';
import type { QuestionAnswer } from '../../packages/conversation/index.js';
import type { Principal } from '../auth/principal.js';
import type { ChatMessageCreate } from './chat.dto.js';

/** What identifies a repeated post, as columns of the message. */
export interface PostIdentity {
  client_msg_id: string;
  /** Of author and client_msg_id, unique in the project. */
  client_msg_key: Buffer;
  /** Hash of everything that was posted. */
  payload_hash: Buffer;
}

/** The key of a client_msg_id, which is of its author alone. */
export const clientKey = ({ kind, user_id, api_key_id }: Principal, client_msg_id: string): Buffer =>
  hash([kind, user_id ?? api_key_id, client_msg_id]);

/** The identity of a post; null when the client gave it none. */
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

/** The answer in the form in which it is stored and shown. */
export function toQuestionAnswer({ selections, other_text }: NonNullable<ChatMessageCreate['answer']>): QuestionAnswer {
  return {
    selections: Object.fromEntries(selections ?? []),
    ...(other_text !== undefined && { other_text }),
  };
}

const hash = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();
