/** Most bytes of the messages in one window. The newest message is included even if it alone has more. */
export const MAX_WINDOW_BYTES = 4 * 1024 ** 2;

/** Messages of a conversation next to each other, as the database gives them. */
export interface MessageWindow {
  /** Sequences of the first and the last message of the window; the second is less where there is none. */
  first: number;
  last: number;
  /** Versions of the known messages, the oldest first, with commas between them; null: none is known. */
  versions: string | null;
  /** Whether messages were left out, as the window has too many bytes: its oldest ones, or all that are behind the known ones. */
  is_cut: boolean;
  /** JSON texts of the messages behind them, with commas between them; null: there are none. */
  made: string | null;
  /** Of each of those its bytes and version, as `812:4711`; without a version the message is still written. */
  parts: string | null;
}
