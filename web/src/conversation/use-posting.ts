import { ConnectionError, type NewMessage, newId, type Schemas } from '@project-workspace/client';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useService } from '../service/service';
import { EXAMPLE } from './example';

/** Posts into a conversation: one message at a time, and each once, however often it is sent. */
export interface Posting {
  /** Resolves with whether the message is there now. */
  send: (content: string, fileIds: readonly string[]) => Promise<boolean>;
  /** Posts the example, once in a conversation. */
  sendExample: () => void;
  /** Answers what a message asks. */
  answer: (asking: string, given: Schemas['AskUserQuestionAnswer']) => void;
  /** Counts what was posted here. */
  posted: number;
  isPending: boolean;
  error: Error | null;
  /** It may have arrived. */
  isUncertain: boolean;
}

/** Posts messages to a project's conversation, one at a time; what is sent again after a failure is still one message. */
export function usePosting(projectId: string): Posting {
  const { client } = useService();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async (message: NewMessage) => await client.conversation(projectId).post(message),
  });
  const [posted, setPosted] = useState(0);
  /** Also between two clicks of the same moment. */
  const isPosting = useRef(false);
  /** What was sent last and is not known to be there: sent again, it is still one message. */
  const attempt = useRef({ text: '', id: '' });
  const post = useCallback(
    async (message: NewMessage): Promise<boolean> => {
      if (isPosting.current) return false;
      isPosting.current = true;
      try {
        await mutateAsync(message);
        setPosted((count) => count + 1);
        return true;
      } catch {
        // Shown as the error of the mutation.
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
    const isThere = await post({ ...message, client_msg_id: attempt.current.id });
    if (isThere) attempt.current = { text: '', id: '' };
    return isThere;
  };
  const sendExample = useCallback(() => void post({ content: EXAMPLE, client_msg_id: 'example' }), [post]);
  // A question has one answer, however often its button is pressed.
  const answer = useCallback(
    (asking: string, given: Schemas['AskUserQuestionAnswer']) =>
      void post({ content: '', answer: given, client_msg_id: `answer-${asking}` }),
    [post],
  );
  return { send, sendExample, answer, posted, isPending, error, isUncertain: error instanceof ConnectionError };
}
