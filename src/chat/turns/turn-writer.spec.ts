import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AgentEvent, AgentFailure } from '../../agent/agent.js';
import type { Tx } from '../../database/database.service.js';
import type { Project } from '../../projects/project.entity.js';
import type { Progress } from './progress.js';
import { MAX_MESSAGE_BYTES, type ProgressStore, TurnWriter } from './turn-writer.js';

const text = (value: string): AgentEvent => ({ type: 'text', text: value });
const started: AgentEvent = { type: 'tool_started', id: 'a', tool: 'read_file', input: {} };

interface Write {
  kind: 'begin' | 'advance' | 'continue' | 'perform';
  content: string;
  next_seq: number;
  /** Number of events in the write. */
  events: number;
  credits: number;
}

/** Creates a writer and records its writes. `gate` delays each write. */
function make({ gate = () => Promise.resolve(), credits = 0 }: { gate?: () => Promise<void>; credits?: number } = {}) {
  const writes: Write[] = [];
  const failures: unknown[] = [];
  const keep =
    (kind: Write['kind']) =>
    async ({ body, next_seq, unstored, credits: cost }: Progress): Promise<void> => {
      await gate();
      writes.push({ kind, content: body.content, next_seq, events: unstored.length, credits: cost });
    };
  const perform: ProgressStore['perform'] = async (work) => {
    // A retried transaction repeats its work. The first attempt must leave no trace.
    await work({} as Tx, {} as Project);
    await keep('perform')(await work({} as Tx, {} as Project));
  };
  const store = { begin: keep('begin'), advance: keep('advance'), continue: keep('continue'), perform };
  return { writer: new TurnWriter('turn', credits, store, (error) => failures.push(error)), writes, failures };
}

describe('TurnWriter', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('stores provider data with the start of its call', async () => {
    const bodies: unknown[] = [];
    const advance = ({ body }: Progress): Promise<void> => {
      bodies.push(body.model_steps);
      return Promise.resolve();
    };
    const store = { begin: advance, advance, continue: advance, perform: () => Promise.resolve() };
    const writer = new TurnWriter('turn', 0, store, () => undefined);
    const step = { model: 'm', calls: 1, options: { a: { b: 'c' } } };
    await writer.accept({ type: 'model_step', step });
    expect(bodies).toEqual([]);
    await writer.accept(started);
    await writer.accept({ type: 'tool_completed', id: 'a', result: 1 });
    await writer.accept({ type: 'model_step', step: { ...step, model: 'n' } });
    await writer.accept({ ...started, id: 'b' });
    expect([bodies[0], bodies.at(-1)]).toEqual([[step], [step, { ...step, model: 'n' }]]);
  });

  it('rejects provider data that would make a message too long', async () => {
    const { writer } = make();
    const step = { model: 'm', calls: 1, options: { a: { b: 'x'.repeat(MAX_MESSAGE_BYTES) } } };
    await expect(writer.accept({ type: 'model_step', step })).rejects.toThrow(AgentFailure);
  });

  it('stores the first event after 5 ms and later events in batches every 100 ms', async () => {
    const { writer, writes } = make();
    await writer.accept(text('a'));
    expect(writes).toEqual([]);
    await jest.advanceTimersByTimeAsync(5);
    expect(writes).toEqual([{ kind: 'begin', content: 'a', next_seq: 2, events: 1, credits: 0 }]);
    await writer.accept(text('b'));
    await jest.advanceTimersByTimeAsync(60);
    await writer.accept(text('c'));
    expect(writes).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(40);
    expect(writes.slice(1)).toEqual([{ kind: 'continue', content: 'abc', next_seq: 4, events: 2, credits: 0 }]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(writes).toHaveLength(2);
    await writer.accept(text('d'));
    expect(writes).toHaveLength(3);
  });

  it('stores text events in batches of 64, or earlier if another type of event follows', async () => {
    const { writer, writes } = make();
    const kinds = async (event: AgentEvent, times = 1): Promise<string[]> => {
      writes.length = 0;
      for (let time = 0; time < times; time += 1) {
        await writer.accept(event);
        await jest.advanceTimersByTimeAsync(100);
      }
      return writes.map(({ kind }) => kind);
    };
    expect(await kinds(text('a'))).toEqual(['begin']);
    const around = [...Array<string>(64).fill('continue'), 'advance'];
    expect(await kinds(text('b'), 130)).toEqual([...around, ...around]);
    expect(await kinds(text('c'), 3)).toEqual(['continue', 'continue', 'continue']);
    expect(await kinds(started)).toEqual(['advance']);
    expect(await kinds(text('d'))).toEqual(['continue']);
    expect(await kinds({ type: 'usage', credits: 1 })).toEqual(['advance']);
    expect(await kinds(text('e'), 65)).toEqual(around);
  });

  it('rejects output above the maximum message size and keeps the earlier output', async () => {
    const { writer } = make();
    const quarter = 'x'.repeat(MAX_MESSAGE_BYTES / 4 - 100);
    await writer.accept(text(quarter));
    await writer.accept(started);
    await writer.accept({ type: 'tool_completed', id: 'a', result: quarter });
    await writer.accept(text('\u0001'.repeat(MAX_MESSAGE_BYTES / 24)));
    const before = (await writer.close()).body;
    for (const event of [
      text('x'.repeat(MAX_MESSAGE_BYTES / 2)),
      { ...started, id: 'b', input: { content: 'x'.repeat(MAX_MESSAGE_BYTES / 2) } } as AgentEvent,
    ]) {
      await expect(writer.accept(event)).rejects.toThrow(AgentFailure);
    }
    expect((await writer.close()).body).toEqual(before);
    await writer.accept(text('short'));
    expect((await writer.close()).body.content).toMatch(/short$/);
  });

  it('skips an effect if its result would not fit into the message', async () => {
    const { writer, writes } = make();
    await writer.accept(started);
    const finished: AgentEvent = { type: 'tool_completed', id: 'a', result: 'x'.repeat(MAX_MESSAGE_BYTES) };
    const effect = writer.accept({ type: 'tool_effect', id: 'a', apply: () => Promise.resolve([finished]) });
    await expect(effect).rejects.toThrow(AgentFailure);
    expect(writes.map(({ kind }) => kind)).toEqual(['begin']);
  });

  it('stores the start of a tool call before it lets the agent continue', async () => {
    const { writer, writes } = make();
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    await writer.accept(text('b'));
    await writer.accept(started);
    expect(writes.at(-1)).toEqual({ kind: 'advance', content: 'ab', next_seq: 4, events: 2, credits: 0 });
  });

  it('stores an effect once, together with its events and all earlier events', async () => {
    const { writer, writes } = make();
    await writer.accept(started);
    await writer.accept(text('a'));
    const finished: AgentEvent = { type: 'tool_completed', id: 'a', result: 1 };
    const changed: AgentEvent = { type: 'cards_changed', cards: [], removed_card_ids: ['c'] };
    await writer.accept({ type: 'tool_effect', id: 'a', apply: () => Promise.resolve([finished, changed]) });
    expect(writes.slice(1)).toEqual([{ kind: 'perform', content: 'a', next_seq: 5, events: 3, credits: 0 }]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(writes).toHaveLength(2);
    const { body, unstored } = await writer.close();
    expect(body.tool_calls).toMatchObject([{ status: 'completed', result: 1 }]);
    expect([body.affected_card_ids, unstored]).toEqual([['c'], []]);
  });

  it('abandons a failed effect without recording its events', async () => {
    const { writer } = make();
    await writer.accept(started);
    const lost = new Error('lost');
    await expect(writer.accept({ type: 'tool_effect', id: 'a', apply: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect((await writer.close()).body.tool_calls).toMatchObject([{ status: 'running' }]);
  });

  it('completes a write before it begins the next write', async () => {
    let open: () => void = () => undefined;
    const { writer, writes } = make({
      gate: () =>
        new Promise((resolve) => {
          open = resolve;
        }),
    });
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    const second = writer.accept(started);
    await jest.advanceTimersByTimeAsync(500);
    expect(writes).toEqual([]);
    open();
    await jest.advanceTimersByTimeAsync(0);
    open();
    await second;
    expect(writes.map(({ kind, next_seq }) => [kind, next_seq])).toEqual([
      ['begin', 2],
      ['advance', 3],
    ]);
  });

  it('adds costs to the costs of earlier attempts', async () => {
    const { writer, writes } = make({ credits: 2 });
    await writer.accept({ type: 'usage', credits: 0.5 });
    expect(writes).toEqual([]);
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    await writer.accept({ type: 'usage', credits: 0.25 });
    expect(writes).toMatchObject([{ credits: 2.5 }]);
    expect((await writer.close()).credits).toBe(2.75);
  });

  it('stores a cost without an event if the message exists and no event follows', async () => {
    const { writer, writes } = make();
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    await writer.accept({ type: 'usage', credits: 0.25 });
    await jest.advanceTimersByTimeAsync(100);
    expect(writes.slice(1)).toEqual([{ kind: 'advance', content: 'a', next_seq: 2, events: 0, credits: 0.25 }]);
  });

  it('returns all progress on close and stops writing', async () => {
    const { writer, writes } = make();
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    await writer.accept(text('b'));
    expect(await writer.close()).toMatchObject({
      body: { content: 'ab' },
      next_seq: 3,
      unstored: [{ type: 'text.delta', segment: 0, text: 'b' }],
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(writes).toHaveLength(1);
  });

  it('stores nothing for a turn that ends within 5 ms, because its final write contains all output', async () => {
    const { writer, writes } = make();
    await writer.accept(text('a'));
    const unstored = [{ type: 'text.delta', segment: 0, text: 'a' }];
    expect(await writer.close()).toMatchObject({ body: { content: 'a' }, next_seq: 2, unstored });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual([]);
  });

  it('creates neither events nor a message if the agent produces no output', async () => {
    const { writer, writes } = make();
    await writer.accept(text(''));
    expect(await writer.close()).toMatchObject({ next_seq: 0 });
    expect(writes).toEqual([]);
  });

  it('reports a failed write to the waiting caller, or else to the owner, and keeps the progress', async () => {
    let isBroken = false;
    const gate = (): Promise<void> => (isBroken ? Promise.reject(new Error('gone')) : Promise.resolve());
    const { writer, failures } = make({ gate });
    await writer.accept(text('a'));
    await jest.advanceTimersByTimeAsync(5);
    isBroken = true;
    await writer.accept(text('b'));
    await jest.advanceTimersByTimeAsync(100);
    expect(failures).toEqual([new Error('gone')]);
    await expect(writer.accept(started)).rejects.toThrow('gone');
    expect(await writer.close()).toMatchObject({ body: { content: 'ab' }, unstored: [{ text: 'b' }, {}] });
  });
});
