import type { ChatMessage, ConversationState } from '@project-workspace/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { usePageVisible } from '../service/page-visible';
import { useService } from '../service/service';

/** Number of newest messages to follow, and page size for reading earlier messages. */
const MESSAGE_LIMIT = 200;
const EARLIER_PAGE_SIZE = 200;
/** Minimum time between two rendered states in milliseconds. */
const FRAME_MS = 40;

export interface LiveConversation {
  /** All messages read so far, in order and without gaps. Undefined until the conversation has loaded. */
  messages: ChatMessage[] | undefined;
  turn: ConversationState['turn'] | undefined;
  /** Whether the connection is lost. It is reopened automatically. */
  isInterrupted: boolean;
  /** Reason why the conversation can no longer be followed. */
  error: unknown;
  retry: () => void;
}

/** Follows a project's conversation live. */
export function useConversation(projectId: string): LiveConversation {
  const { client, onFailure } = useService();
  const [messages, setMessages] = useState<ChatMessage[]>();
  const [turn, setTurn] = useState<ConversationState['turn']>();
  const [isInterrupted, setInterrupted] = useState(false);
  const [error, setError] = useState<unknown>(null);
  /** Counter that restarts the connection when it changes. */
  const [attempt, setAttempt] = useState(0);
  const isVisible = usePageVisible();

  useEffect(() => {
    if (!isVisible) return undefined;
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      setInterrupted(false);
      const states = client.conversation(projectId).follow({
        signal: controller.signal,
        isPatient: true,
        limit: MESSAGE_LIMIT,
        onInterruption: () => setInterrupted(true),
        onResumption: () => setInterrupted(false),
      });
      for await (const state of states) {
        setMessages((loaded = []) => mergeMessages(loaded, state.messages));
        setTurn(state.turn);
        await new Promise((resolve) => {
          setTimeout(resolve, FRAME_MS);
        });
      }
    };
    follow().catch((failure: unknown) => {
      if (controller.signal.aborted) return;
      onFailure(failure);
      setError(failure);
    });
    return () => controller.abort();
  }, [client, onFailure, projectId, attempt, isVisible]);

  const retry = useCallback(() => {
    setError(null);
    setInterrupted(false);
    setAttempt((count) => count + 1);
  }, []);
  return { messages, turn, isInterrupted, error, retry };
}

/** Reads the messages before the loaded messages, page by page. */
export function useEarlierMessages(projectId: string, messages: readonly ChatMessage[]) {
  const { client, onFailure } = useService();
  const [earlier, setEarlier] = useState<ChatMessage[]>([]);
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const all = mergeMessages(earlier, messages);

  const readEarlier = async (): Promise<void> => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setLoading(true);
    setError(null);
    try {
      const path = { project_id: projectId };
      const query = { offset: all.length, limit: EARLIER_PAGE_SIZE };
      const { data } = await client.GET('/api/v1/projects/{project_id}/chat', { params: { path, query }, signal });
      setEarlier(mergeMessages(data.messages, all));
    } catch (failure) {
      if (signal.aborted) return;
      onFailure(failure);
      setError(failure);
    } finally {
      if (!signal.aborted) setLoading(false);
    }
  };
  return { all, hasEarlier: (all[0]?.sequence ?? 1) > 1, readEarlier, isLoading, error };
}

/**
 * Merges loaded messages with newer messages, which take precedence. If messages are missing between them, drops the loaded
 * messages.
 */
export function mergeMessages(loaded: readonly ChatMessage[], newer: readonly ChatMessage[]): ChatMessage[] {
  const first = newer[0]?.sequence;
  if (first === undefined) return [];
  const older = loaded.filter(({ sequence }) => sequence < first);
  return older.at(-1)?.sequence === first - 1 ? [...older, ...newer] : [...newer];
}
