import type { Principal } from '../auth/principal.js';
import type { Spender } from '../usage/spender.js';

/** Initiator of an execution and the user or API key that is charged. */
export interface Trigger {
  triggered_by: string;
  spender: Spender;
}

/** Returns the trigger for an API caller. */
export function triggerOf({ user_id, api_key_id }: Principal): Trigger {
  if (user_id !== null) return { triggered_by: `user:${user_id}`, spender: { user_id, api_key_id: null } };
  if (api_key_id !== null) return { triggered_by: `api_key:${api_key_id}`, spender: { user_id: null, api_key_id } };
  throw new Error('Only a user or an API key can start an execution');
}

/** Returns the trigger for an agent turn. */
export const triggerOfTurn = (turn_id: string, spender: Spender): Trigger => ({
  triggered_by: `agent:${turn_id}`,
  spender,
});
