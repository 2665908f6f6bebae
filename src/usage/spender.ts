/** User or API key that requested a piece of work and is charged for it. */
export type Spender = { user_id: string; api_key_id: null } | { user_id: null; api_key_id: string };
