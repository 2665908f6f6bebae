/** Sequences from `first` to `last`, both included; none when `first` is greater. */
export interface SequenceRange {
  first: number;
  last: number;
}

/**
 * A window of a conversation of `total` messages, whose sequences are 1 to `total`: the `limit` messages that are left
 * at the newest end when the newest `offset` are left out.
 */
export function windowOf(total: number, { limit, offset }: { limit: number; offset: number }): SequenceRange {
  const last = Math.max(0, total - offset);
  return { first: Math.max(1, last - limit + 1), last };
}
