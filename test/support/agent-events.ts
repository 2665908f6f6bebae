import fc from 'fast-check';
import type { AgentEvent } from '../../src/agent/agent.js';

type Draft =
  | { kind: 'text'; text: string }
  | { kind: 'start'; input: Record<string, unknown> }
  | { kind: 'end'; which: number; result: unknown }
  | { kind: 'fail'; which: number; error: string }
  | { kind: 'cards'; ids: number[] }
  | { kind: 'usage' };

const draft: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => ({ kind: 'text' as const, text })),
  },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })
      .map((input) => ({ kind: 'start' as const, input })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(5),
      result: fc.jsonValue({ maxDepth: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), which: fc.nat(5), error: fc.string() }) },
  { weight: 1, arbitrary: fc.array(fc.nat(3), { maxLength: 3 }).map((ids) => ({ kind: 'cards' as const, ids })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'usage' as const }) },
);

/** Generates possible agent events: arbitrary text, overlapping or unfinished calls, cards and costs. */
export const agentEvents = (maxLength: number): fc.Arbitrary<AgentEvent[]> =>
  fc.array(draft, { maxLength }).map((drafts) => {
    const running: string[] = [];
    let calls = 0;
    const take = (which: number): string | undefined => running.splice(which % Math.max(1, running.length), 1)[0];
    return drafts.flatMap((one): AgentEvent[] => {
      switch (one.kind) {
        case 'text':
          return [{ type: 'text', text: one.text }];
        case 'start': {
          const id = `call-${(calls += 1)}`;
          running.push(id);
          return [{ type: 'tool_started', id, tool: 'read_file', input: one.input }];
        }
        case 'end': {
          const id = take(one.which);
          return id === undefined ? [] : [{ type: 'tool_completed', id, result: one.result }];
        }
        case 'fail': {
          const id = take(one.which);
          return id === undefined ? [] : [{ type: 'tool_failed', id, error: one.error, error_code: 'broken' }];
        }
        case 'cards':
          return [{ type: 'cards_changed', cards: one.ids.map(card) }];
        case 'usage':
          return [{ type: 'usage', credits: 0.25 }];
      }
    });
  });

function card(number: number) {
  const at = new Date(0);
  const rest = { card_type: 'data', label: 'x', status: 'draft' as const, version: 1, gaps: [], instance_data: {} };
  return { id: `card-${number}`, project_id: 'project', data: { number }, created_at: at, updated_at: at, ...rest };
}
