/** Channel of conversations in which something has changed; the key is the conversation's id. */
export const CONVERSATIONS = 'conversations';

/** Channel of turns that were taken from the process that runs them; the key is the turn's id. */
export const STOPPED_TURNS = 'stopped_turns';
