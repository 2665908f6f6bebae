import type { ChatMessage, ConversationState } from '@project-workspace/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useIsLookedAt } from '../service/looked-at';
import { useService } from '../service/service';

/** Number of newest messages to follow, and page size for reading earlier messages. */
const FOLLOWED = 200;
const EARLIER = 200;
/** Minimum time between two rendered states in milliseconds. */
const FRAME_MS = 40;

export interface FollowedConversation {
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
export function useConversation(projectId: string): FollowedConversation {
  const { client, onFailure } = useService();
  const [messages, setMessages] = useState<ChatMessage[]>();
  const [turn, setTurn] = useState<ConversationState['turn']>();
  const [isInterrupted, setInterrupted] = useState(false);
  const [error, setError] = useState<unknown>(null);
  /** Counter that restarts following. */
  const [round, setRound] = useState(0);
  const isLookedAt = useIsLookedAt();

  useEffect(() => {
    if (!isLookedAt) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      setInterrupted(false);
      const states = client.conversation(projectId).follow({
        signal: leaving.signal,
        isPatient: true,
        limit: FOLLOWED,
        onInterruption: () => setInterrupted(true),
        onResumption: () => setInterrupted(false),
      });
      for await (const state of states) {
        setMessages((known = []) => joined(known, state.messages));
        setTurn(state.turn);
        await new Promise((resolve) => {
          setTimeout(resolve, FRAME_MS);
        });
      }
    };
    follow().catch((failure: unknown) => {
      if (leaving.signal.aborted) return;
      onFailure(failure);
      setError(failure);
    });
    return () => leaving.abort();
  }, [client, onFailure, projectId, round, isLookedAt]);

  const retry = useCallback(() => {
    setError(null);
    setInterrupted(false);
    setRound((count) => count + 1);
  }, []);
  return { messages, turn, isInterrupted, error, retry };
}

/** Reads messages before the loaded messages, page by page. */
export function useEarlierMessages(projectId: string, messages: readonly ChatMessage[]) {
  const { client, onFailure } = useService();
  const [earlier, setEarlier] = useState<ChatMessage[]>([]);
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const all = joined(earlier, messages);

  const read = async (): Promise<void> => {
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    setReading(true);
    setError(null);
    try {
      const path = { project_id: projectId };
      const query = { offset: all.length, limit: EARLIER };
      const { data } = await client.GET('/api/v1/projects/{project_id}/chat', { params: { path, query }, signal });
      setEarlier(joined(data.messages, all));
    } catch (failure) {
      if (signal.aborted) return;
      onFailure(failure);
      setError(failure);
    } finally {
      if (!signal.aborted) setReading(false);
    }
  };
  return { all, hasEarlier: (all[0]?.sequence ?? 1) > 1, read, isReading, error };
}

/**
 * Merges loaded messages with newer messages, which take precedence. Drops loaded messages if there is a gap before the newer
 * messages.
 */
export function joined(known: readonly ChatMessage[], newer: readonly ChatMessage[]): ChatMessage[] {
  const first = newer[0]?.sequence;
  if (first === undefined) return [];
  const before = known.filter(({ sequence }) => sequence < first);
  return before.at(-1)?.sequence === first - 1 ? [...before, ...newer] : [...newer];
}
