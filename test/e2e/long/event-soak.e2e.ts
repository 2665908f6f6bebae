import { describe, expect, it } from '@jest/globals';
import { eventSoak } from '../../support/event-soak.js';

/** Number of changes. `npm run test:events` makes many more. */
const changes = Number(process.env['EVENT_CHANGES'] ?? 600);
const isLong = changes > 10_000;
const options = isLong
  ? { projects: 20, changes, writers: 2, readers: 2, killWithinMs: 20_000 }
  : { projects: 3, changes, writers: 3, readers: 2, killWithinMs: 1_500 };

describe('a reader that reconnects while processes are killed', () => {
  it('receives each committed change once and in order', async () => {
    const { problems, ...counts } = await eventSoak(options);
    process.stdout.write(`${JSON.stringify({ ...counts, problems }, null, 2)}\n`);
    expect(problems).toEqual([]);
    expect(counts.kills).toBeGreaterThan(0);
    expect(counts.events).toBeGreaterThan(changes / 2);
  }, 7_200_000);
});
