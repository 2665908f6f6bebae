/** Who is charged for a piece of work: the user or the API key that asked for it. */
export type Spender = { user_id: string; api_key_id: null } | { user_id: null; api_key_id: string };
