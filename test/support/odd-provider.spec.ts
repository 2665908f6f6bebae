import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeProvider, type ModelReply, type ModelRequest, type WireFormat } from './fake-provider.js';
import { ModelRoom } from './model-room.js';
import { ODD, omit } from './odd-provider.js';

/** Number of conversations in the property test. `npm run test:providers` runs more. */
const RUNS = Number(process.env['PROVIDER_RUNS'] ?? 15);
const PROVIDERS: ['anthropic' | 'openai' | 'openai-compatible', WireFormat][] = [
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['openai-compatible', 'openai'],
];
const TEXT = ['Ich prüfe ', 'die Größe 😀 der ', 'Lager.'];
const CALLS = [
  { tool: 'list_files', input: { path: 'größe/{}' } },
  { tool: 'list_files', input: { path: 'b' } },
];

describe.each(PROVIDERS)('an agent that uses the %s provider', (AGENT_PROVIDER, format) => {
  let answer: (request: ModelRequest, count: number) => ModelReply;
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await FakeProvider.start(format, (request, count) => answer(request, count));
  });
  afterAll(async () => await provider.stop());

  const newRoom = (): ModelRoom => {
    provider.requests.length = 0;
    return new ModelRoom({ AGENT_PROVIDER, AGENT_BASE_URL: provider.url, AGENT_TIMEOUT_SECONDS: 5 });
  };
  const play = (...replies: ModelReply[]): void => {
    answer = (_, count) => replies[count - 1] ?? { text: ['Good.'], tokens: { input: 1, output: 1 } };
  };
  const problems = (): string[] => provider.requests.flatMap((request) => request.problems);

  it('is tested with at least 40 odd behaviors', () => {
    const { whole, cut, failed } = ODD[format];
    expect(Object.keys({ ...whole, ...cut, ...failed }).length).toBeGreaterThanOrEqual(40);
  });

  it.each(Object.entries(ODD[format].whole))('receives a complete response despite %s', async (_, odd) => {
    const room = newRoom();
    const tokens = { input: 7, output: 3 };
    play({ text: TEXT, odd, tokens }, { text: ['Look. '], calls: CALLS, odd, tokens }, { text: TEXT, odd, tokens });
    const first = await room.say('Go');
    expect(first).toMatchObject({ text: TEXT.join(''), inputs: [], notice: null });
    const second = await room.say('Again');
    expect(second.notice).toBeNull();
    expect(second.text).toBe(`Look. \n\n${TEXT.join('')}`);
    expect(second.inputs).toEqual(CALLS.map(({ input }) => input));
    expect(provider.requests).toHaveLength(3);
    expect(problems()).toEqual([]);
    expect(first.credits).toBeGreaterThanOrEqual(0);
    expect(first.credits).toBeLessThanOrEqual(10);
  });

  it.each(Object.entries(ODD[format].cut))(
    'reports a response as incomplete if it is cut off by %s',
    async (_, odd) => {
      const room = newRoom();
      play({ text: TEXT, calls: [], odd });
      const { text, notice } = await room.say('Go');
      expect(notice).toMatch(/ended its answer|reached the maximum length|withheld the answer/);
      expect(TEXT.join('')).toContain(text);
      expect(await room.say('Again')).toMatchObject({ text: 'Good.', notice: null });
      expect(problems()).toEqual([]);
    },
  );

  it.each(Object.entries(ODD[format].failed))('ends the turn with an error message after %s', async (_, odd) => {
    const room = newRoom();
    play(...Array.from({ length: 4 }, () => ({ text: TEXT, odd })));
    const { text, notice } = await room.say('Go');
    expect([text, notice]).toEqual(['', expect.stringMatching(/^The model provider .*\.$/)]);
    play();
    expect(await room.say('Again')).toMatchObject({ text: 'Good.', notice: null });
    expect(problems()).toEqual([]);
  });

  it('stays usable after any sequence of normal, odd, failed and stopped turns', async () => {
    // An empty response is excluded, because it is retried, which takes seconds.
    const { whole, cut, failed } = { ...ODD[format], failed: omit(ODD[format].failed, 'an empty response') };
    const odd = fc.constantFrom(...Object.values({ ...whole, ...cut, ...failed }));
    const text = fc.subarray(TEXT, { minLength: 1 });
    const reply = fc.record<ModelReply>({ text, calls: fc.subarray(CALLS), odd }, { requiredKeys: ['text'] });
    const turn = fc.record({
      replies: fc.array(reply, { maxLength: 3 }),
      stopAfter: fc.constantFrom(0, 2, 4, Infinity, Infinity),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
        const room = newRoom();
        for (const { replies, stopAfter } of turns) {
          provider.requests.length = 0;
          play(...replies);
          await room.say('Go', { stopAfter });
          expect(problems()).toEqual([]);
        }
        provider.requests.length = 0;
        play({ text: ['Look.'], calls: CALLS });
        const last = await room.say('And now?');
        expect(last).toMatchObject({ text: 'Look.\n\nGood.', notice: null });
        expect(problems()).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
