/** Maximum size of the messages in a window, in bytes. The newest message is included even if it is larger. */
export const MAX_WINDOW_BYTES = 4 * 1024 ** 2;

/** Consecutive messages of a conversation, as read from the database. */
export interface MessageWindow {
  /** Sequence numbers of the first and the last message of the window. In an empty window, `last` is less than `first`. */
  first: number;
  last: number;
  /** Versions of the cached messages, oldest first, separated by commas. Null if no message is cached. */
  versions: string | null;
  /**
   * Whether messages were omitted because the window is too large: either its oldest messages, or all messages after the cached
   * messages.
   */
  is_cut: boolean;
  /** JSON texts of the messages after the cached messages, separated by commas. Null if the list is empty. */
  made: string | null;
  /** Size and version of each message text, such as `812:4711`. The version is missing while a message is being written. */
  parts: string | null;
}
