import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEvents, type ServerSentEvent } from '../../client/src/server-sent-events.js';

const LINE_ENDS = ['\n', '\r\n', '\r'];

/** Parses the events of a string that arrives in chunks, cut at the given positions. */
async function read(text: string, cuts: number[]): Promise<ServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
      controller.close();
    },
  });
  const all: ServerSentEvent[] = [];
  for await (const events of readEvents(body)) all.push(...events);
  return all;
}

describe('readEvents', () => {
  it('parses events regardless of chunk boundaries and line endings', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !/[\r\n\0]/.test(value));
    const event = fc.record({
      id: fc.option(text, { nil: undefined }),
      event: text.filter((name) => name !== ''),
      lines: fc.array(text, { minLength: 1, maxLength: 3 }),
      comment: text,
      end: fc.constantFrom(...LINE_ENDS),
      space: fc.constantFrom('', ' '),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 5 }), fc.array(fc.nat()), async (events, cuts) => {
        const sent = events.map(({ id, event: name, lines, comment, end, space }) =>
          [
            `:${comment}`,
            ...(id === undefined ? [] : [`id: ${id}`]),
            `event: ${name}`,
            // A parser drops the first space after the colon, so a value that starts with a space needs an additional
            // space.
            ...lines.map((line) => (space === '' && line.startsWith(' ') ? `data: ${line}` : `data:${space}${line}`)),
            '',
            '',
          ].join(end),
        );
        expect(await read(sent.join(''), cuts)).toEqual(
          events.map(({ id, event: name, lines }) => ({
            ...(id !== undefined && { id }),
            event: name,
            data: lines.join('\n'),
          })),
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a byte order mark', '\uFEFFdata: a\n\n', [{ event: 'message', data: 'a' }]],
    ['an incomplete event', 'data: a\n\ndata: b\n', [{ event: 'message', data: 'a' }]],
    ['an event without data', 'event: x\nid: 1\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    [
      'fields without a value',
      'data\n\nid\ndata:\n\n',
      [
        { event: 'message', data: '' },
        { id: '', event: 'message', data: '' },
      ],
    ],
    ['unknown fields', 'retry: 5\nfoo: bar\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    ['a carriage return at the end', 'data: a\r\r', [{ event: 'message', data: 'a' }]],
  ])('parses a stream with %s', async (_, text, events) => {
    for (const cuts of [[], Array.from({ length: 40 }, (_, place) => place)])
      expect(await read(text, cuts)).toEqual(events);
  });
});
