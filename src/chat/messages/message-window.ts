/** Maximum size of the messages in a window, in bytes. The newest message is included even if it is larger. */
export const MAX_WINDOW_BYTES = 4 * 1024 ** 2;

/** Consecutive messages from a conversation, as read from the database. */
export interface MessageWindow {
  /** Sequence numbers of the first and the last message of the window. In an empty window, `last` is less than `first`. */
  first: number;
  last: number;
  /** Versions of the cached messages, oldest first, separated by commas. Null if no message is cached. */
  versions: string | null;
  /**
   * Whether messages were omitted because the window is too large. If some messages are cached, all messages
   * after them were omitted. Otherwise, only the oldest messages were.
   */
  is_cut: boolean;
  /** JSON of the messages after the cached messages, separated by commas. Null if there are no such messages. */
  made: string | null;
  /**
   * Size and version of each message in `made`, such as `812:4711`. The version is missing while a message is being written.
   */
  parts: string | null;
}
