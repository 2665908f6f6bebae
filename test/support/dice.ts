/** Random choices that can be reproduced with the same seed (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns true with a probability of `share` percent. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to choose from');
    return item;
  }

  /** Returns a random key. The weights are relative probabilities. */
  weighted<Key extends string>(weights: Record<Key, number>): Key {
    const all = Object.entries(weights) as [Key, number][];
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of all) {
      left -= weight;
      if (left < 0) return key;
    }
    return all[0]?.[0] as Key;
  }
}
