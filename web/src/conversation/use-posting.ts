import { ConnectionError, newId, type NewMessage, type Schemas } from '@project-workspace/client';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useService } from '../service/service';
import { EXAMPLE } from './example';

/** Posts messages to a conversation, one at a time. Retries never post a message twice. */
export interface Posting {
  /** Resolves to whether the message was posted. */
  send: (content: string, fileIds: readonly string[]) => Promise<boolean>;
  /** Posts the example. Repeated calls post it only once per conversation. */
  sendExample: () => void;
  /** Answers the question in a message. */
  answer: (messageId: string, reply: Schemas['AskUserQuestionAnswer']) => void;
  /** Number of messages posted in this tab. */
  postedCount: number;
  isPending: boolean;
  error: Error | null;
  /** Whether the message may have arrived despite the error. */
  isUncertain: boolean;
}

/** Posts messages to a project's conversation, one at a time. A retry after a failure never creates a second message. */
export function usePosting(projectId: string): Posting {
  const { client } = useService();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async (message: NewMessage) => await client.conversation(projectId).post(message),
  });
  const [postedCount, setPostedCount] = useState(0);
  /** Prevents a second click from posting again before the next render. */
  const isPosting = useRef(false);
  /** Last unconfirmed message. Sending it again reuses its id, so that it is not posted twice. */
  const attempt = useRef({ text: '', id: '' });
  const post = useCallback(
    async (message: NewMessage): Promise<boolean> => {
      if (isPosting.current) return false;
      isPosting.current = true;
      try {
        await mutateAsync(message);
        setPostedCount((count) => count + 1);
        return true;
      } catch {
        // The mutation's `error` shows the failure to the user.
        return false;
      } finally {
        isPosting.current = false;
      }
    },
    [mutateAsync],
  );
  const send = async (content: string, fileIds: readonly string[]): Promise<boolean> => {
    const message = { content, ...(fileIds.length > 0 && { file_ids: [...fileIds] }) };
    const text = JSON.stringify(message);
    if (attempt.current.text !== text) attempt.current = { text, id: newId() };
    const isPosted = await post({ ...message, client_msg_id: attempt.current.id });
    if (isPosted) attempt.current = { text: '', id: '' };
    return isPosted;
  };
  const sendExample = useCallback(() => void post({ content: EXAMPLE, client_msg_id: 'example' }), [post]);
  // The id depends on the question, so repeated clicks create only a single answer.
  const answer = useCallback(
    (messageId: string, reply: Schemas['AskUserQuestionAnswer']) =>
      void post({ content: '', answer: reply, client_msg_id: `answer-${messageId}` }),
    [post],
  );
  return { send, sendExample, answer, postedCount, isPending, error, isUncertain: error instanceof ConnectionError };
}
