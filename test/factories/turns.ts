import type { ConversationSyncResponse } from '../../src/chat/chat.dto.js';
import type { Client, Wire } from '../support/client.js';
import { eventually } from '../support/eventually.js';

/** Waits until no turn is running in a project's conversation, and returns the last sync response. */
export function idle(
  client: Client,
  projectId: string,
  query: { conversation_id?: string } = {},
): Promise<Wire<ConversationSyncResponse>> {
  return eventually(
    () => client.get<ConversationSyncResponse>(`/projects/${projectId}/chat/sync`, query),
    ({ turn }) => turn.state === 'idle',
    { until: 'the turn is idle', deadlineMs: 25_000 },
  );
}
