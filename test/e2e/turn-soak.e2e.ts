import { describe, expect, it } from '@jest/globals';
import { soak } from '../support/soak.js';

/** `npm run test:soak` runs it for long. */
const isLong = process.env['SOAK'] === 'long';
const options = isLong
  ? { conversations: 200, seconds: 90, killWithinMs: 4_000 }
  : { conversations: 12, seconds: 4, killWithinMs: 2_000, hurries: true };

describe('workers that are killed while many conversations go on', () => {
  it('lose nothing, double nothing and leave nothing unfinished', async () => {
    const { counts, problems } = await soak(options);
    if (isLong) process.stdout.write(`${JSON.stringify({ counts, problems }, null, 2)}\n`);
    expect(Object.entries(problems).filter(([, number]) => number !== 0)).toEqual([]);
    expect(counts.kills).toBeGreaterThan(0);
    expect(counts.turns).toBeGreaterThanOrEqual(options.conversations);
    expect(counts.effects).toBeGreaterThan(options.conversations);
  }, 300_000);
});
