import { describe, expect, it } from '@jest/globals';
import { soak } from '../../support/soak.js';

/** `npm run test:soak` runs the test for longer. */
const isLong = process.env['SOAK'] === 'long';
const options = isLong
  ? { conversations: 200, seconds: 120, restMs: 8_000, killWithinMs: 4_000 }
  : { conversations: 12, seconds: 4, restMs: 3_000, killWithinMs: 2_000, hurries: true };

describe('processes that are killed during many conversations', () => {
  it('are replaced without losing, repeating or abandoning work', async () => {
    const { counts, problems } = await soak(options);
    process.stdout.write(`${JSON.stringify({ counts, problems }, null, 2)}\n`);
    expect(Object.entries(problems).filter(([, number]) => number !== 0)).toEqual([]);
    expect(counts.kills).toBeGreaterThan(0);
    if (isLong) expect(counts.api_kills).toBeGreaterThan(2);
    expect(counts.turns).toBeGreaterThanOrEqual(options.conversations);
    expect(counts.files).toBeGreaterThan(options.conversations);
    expect(counts.card_changes).toBeGreaterThan(options.conversations);
  }, 300_000);
});
