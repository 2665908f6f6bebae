import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentEvent } from '../../agent/agent.js';
import type { CardResponse } from '../../projects/canvas/canvas.dto.js';
import {
  AgentProtocolError,
  type BodyEvent,
  closingEvents,
  EMPTY_BODY,
  fold,
  type MessageBody,
  toBodyEvent,
} from './message-body.js';

const TURN = 'turn-1';
const AT = new Date('2026-03-01T10:00:00.000Z');
const LATER = new Date('2026-03-01T10:00:01.250Z');

const text = (value: string): AgentEvent => ({ type: 'text', text: value });
const started = (id: string, input: Record<string, unknown> = {}): AgentEvent => ({
  type: 'tool_started',
  id,
  tool: 'read_file',
  input,
});
const completed = (id: string, result: unknown = null): AgentEvent => ({ type: 'tool_completed', id, result });
const failed = (id: string): AgentEvent => ({
  type: 'tool_failed',
  id,
  error: 'No such file',
  error_code: 'not_found',
});
const changed = (...ids: string[]): AgentEvent => ({
  type: 'cards_changed',
  cards: ids.map((id) => ({ id }) as CardResponse),
});

/** Applies the events to an empty body. Returns the body and the steps in between. */
function write(events: AgentEvent[], at = AT): { body: MessageBody; steps: BodyEvent[] } {
  let body = EMPTY_BODY;
  const steps: BodyEvent[] = [];
  for (const event of events) {
    const step = toBodyEvent(body, event, TURN, at);
    if (step === null) continue;
    steps.push(step);
    body = fold(body, step);
  }
  return { body, steps };
}

describe('a message body', () => {
  it('merges adjacent text events and separates text before and after a call with a blank line', () => {
    const { body } = write([text('Let me '), text('look.'), started('a'), completed('a', 'rows'), text('Done.')]);
    expect(body.content).toBe('Let me look.\n\nDone.');
    expect(body.content_segments).toMatchObject([
      { type: 'text', content: 'Let me look.' },
      { type: 'tool_call', id: 'a', tool: 'read_file', status: 'completed', result: 'rows' },
      { type: 'text', content: 'Done.' },
    ]);
  });

  it('records the times of a call in its segment and in the call list', () => {
    const { body } = write([started('a', { path: 'x.csv' })]);
    expect(body.tool_calls).toEqual([
      {
        id: 'a',
        tool: 'read_file',
        status: 'running',
        input: { path: 'x.csv' },
        result: null,
        turn_id: TURN,
        started_at: '2026-03-01T10:00:00.000Z',
      },
    ]);
    const step = toBodyEvent(body, completed('a', { rows: 3 }), TURN, LATER);
    expect(step).not.toBeNull();
    const { tool_calls, content_segments } = fold(body, step as BodyEvent);
    expect(tool_calls).toMatchObject([
      { status: 'completed', result: { rows: 3 }, completed_at: '2026-03-01T10:00:01.250Z', duration_ms: 1250 },
    ]);
    expect(content_segments).toEqual([{ type: 'tool_call', ...tool_calls[0] }]);
  });

  it('records a failed call with its error and code', () => {
    const { body } = write([started('a'), failed('a')]);
    expect(body.tool_calls).toMatchObject([
      { status: 'failed', error: 'No such file', error_code: 'not_found', result: null },
    ]);
  });

  it('gives each step the index of its segment', () => {
    const { steps } = write([text('a'), text('b'), started('x'), text('c')]);
    expect(steps.map((step) => ('segment' in step ? step.segment : undefined))).toEqual([0, 0, 1, 2]);
  });

  it('lists each affected card once, in order', () => {
    expect(write([changed('2', '1'), changed('1', '3')]).body.affected_card_ids).toEqual(['2', '1', '3']);
  });

  it('drops characters and values that cannot be stored', () => {
    const { body } = write([text('a\0b\ud800'), started('x', { 'k\0': ['\0v'] }), completed('x', undefined)]);
    expect(body.content).toBe('ab\ufffd');
    expect(body.tool_calls).toMatchObject([{ input: { k: ['v'] }, result: null }]);
    const strange = write([{ type: 'tool_started', id: 'x', tool: 'a\0b\ud800', input: {} }]);
    expect(strange.body.tool_calls).toMatchObject([{ tool: 'ab\ufffd' }]);
  });

  it('does not create a step for an event without content', () => {
    expect(write([text(''), { type: 'usage', credits: 1 }])).toEqual({ body: EMPTY_BODY, steps: [] });
  });

  it.each([
    ['a call that starts twice', [started('a'), started('a')]],
    ['a call that starts again after its end', [started('a'), completed('a'), started('a')]],
    ['a call that ends twice', [started('a'), completed('a'), failed('a')]],
    ['a call that ends without a start', [completed('a')]],
  ])('rejects %s', (_, events) => {
    expect(() => write(events)).toThrow(AgentProtocolError);
  });

  it('closes only the calls that are still running', () => {
    const { body } = write([started('a'), completed('a', 1), started('b'), started('c')]);
    const steps = closingEvents(body, LATER, { error: 'Interrupted', error_code: 'interrupted' });
    expect(steps.reduce(fold, body).tool_calls).toMatchObject([
      { id: 'a', status: 'completed', result: 1 },
      { id: 'b', status: 'failed', error_code: 'interrupted', duration_ms: 1250 },
      { id: 'c', status: 'failed', error_code: 'interrupted' },
    ]);
  });
});

/** Event sequences in which each call starts once and ends at most once, after its start. */
const streams = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'binary' }).map(text) },
      { weight: 2, arbitrary: fc.constant('start' as const) },
      { weight: 2, arbitrary: fc.record({ end: fc.nat(), fails: fc.boolean(), result: fc.jsonValue() }) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom('card-1', 'card-2', 'card-3')).map((ids) => changed(...ids)) },
    ),
    { maxLength: 40 },
  )
  .map((moves) => {
    const running: string[] = [];
    let count = 0;
    return moves.flatMap((move): AgentEvent[] => {
      if (move === 'start') {
        count += 1;
        running.push(`call-${count}`);
        return [started(`call-${count}`, { count })];
      }
      if (!('end' in move)) return [move];
      const [id] = running.splice(move.end % Math.max(1, running.length), 1);
      if (id === undefined) return [];
      return [move.fails ? failed(id) : completed(id, move.result)];
    });
  });

describe('a sequence of events', () => {
  it('produces a valid body at every step', () => {
    fc.assert(
      fc.property(streams, (events) => {
        let body = EMPTY_BODY;
        for (const event of events) {
          const step = toBodyEvent(body, event, TURN, AT);
          if (step !== null) body = fold(body, step);
          expectSound(body);
        }
      }),
    );
  });

  it('produces a body without running calls after it is closed', () => {
    fc.assert(
      fc.property(streams, (events) => {
        const { body } = write(events);
        const closed = closingEvents(body, LATER, { error: 'Interrupted', error_code: 'interrupted' }).reduce(
          fold,
          body,
        );
        expectSound(closed);
        expect(closed.tool_calls.some(({ status }) => status === 'running')).toBe(false);
        expect(closed.content).toBe(body.content);
      }),
    );
  });

  it('produces the same body even if it is stored and resumed at any step', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (events, moment) => {
        const { body, steps } = write(events);
        const at = steps.length === 0 ? 0 : moment % (steps.length + 1);
        const partial = JSON.parse(JSON.stringify(steps.slice(0, at).reduce(fold, EMPTY_BODY))) as MessageBody;
        expect(steps.slice(at).reduce(fold, partial)).toEqual(body);
      }),
    );
  });

  it('preserves the complete text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(write(texts.map(text)).body.content).toBe(texts.join('').replaceAll('\0', ''));
      }),
    );
  });
});

function expectSound({ content, content_segments, tool_calls }: MessageBody): void {
  const texts = content_segments.flatMap((segment) => (segment.type === 'text' ? [segment.content] : []));
  expect(content).toBe(texts.join('\n\n'));
  expect(texts).not.toContain('');
  const types = content_segments.map(({ type }) => type);
  expect(types.some((type, index) => type === 'text' && types[index + 1] === 'text')).toBe(false);
  const calls = content_segments.filter((segment) => segment.type === 'tool_call');
  expect(calls).toEqual(tool_calls.map((call) => ({ type: 'tool_call', ...call })));
  expect(content.isWellFormed() && !content.includes('\0')).toBe(true);
}
