import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { WireFormat } from './fake-provider.js';

/** Chunk or event in either format. */
export type WireEvent = Record<string, unknown>;

/** Response from an odd provider. */
export interface Sending {
  status?: number;
  headers?: Record<string, string>;
  pieces: (string | Uint8Array)[];
  /** Whether the connection ends, stays open or is lost after the last piece. */
  after?: 'end' | 'open' | 'lost';
}

/** Converts the events of a normal response into an odd response. */
export type OddBehavior = (events: WireEvent[]) => Sending;

/**
 * Odd behaviors by name. `whole` behaviors send a complete response, `cut` behaviors an incomplete response, and
 * `failed` behaviors no response.
 */
interface Behaviors {
  whole: Record<string, OddBehavior>;
  cut: Record<string, OddBehavior>;
  failed: Record<string, OddBehavior>;
}

/** Formats an event as in a normal stream. */
export function toFrame(event: object): string {
  const { type } = event as { type?: string };
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
}

/** Sends a response as an odd provider would. */
export async function sendOddly(
  response: ServerResponse,
  { status = 200, headers, pieces, after = 'end' }: Sending,
  format: WireFormat,
): Promise<void> {
  response.writeHead(status, { 'content-type': 'text/event-stream', 'x-dialect': format, ...headers });
  response.flushHeaders();
  for (const piece of pieces) {
    response.write(piece);
    // Sends each piece in its own packet.
    if (pieces.length < 50) await delay(1);
  }
  if (after === 'end') response.end();
  if (after === 'lost') setTimeout(() => response.destroy(), 20);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Copies an object without one of its fields. */
export const omit = <Value extends object>(value: Value, name: string): Value =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Value;

const DONE = 'data: [DONE]\n\n';
const framed = (events: object[]): string => events.map(toFrame).join('');
const stream = (events: object[], more: Partial<Sending> = {}): Sending => ({
  pieces: [framed(events) + DONE],
  ...more,
});
/** Sends extra frames between all events. */
const between =
  (...frames: string[]): OddBehavior =>
  (events) => ({ pieces: [frames.join('') + events.map((event) => toFrame(event) + frames.join('')).join('') + DONE] });
const changed =
  (change: (event: WireEvent, index: number) => WireEvent[] | WireEvent, more?: Partial<Sending>): OddBehavior =>
  (events) =>
    stream(
      events.flatMap<WireEvent>((event, index) => change(event, index)),
      more,
    );
const respond =
  (status: number, body: unknown, headers: Record<string, string> = {}): OddBehavior =>
  () => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [typeof body === 'string' ? body : JSON.stringify(body)],
  });
const PAGE = '<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>';
const page = (status: number): OddBehavior => respond(status, PAGE, { 'content-type': 'text/html; charset=utf-8' });
const soon = { 'retry-after': '0.01' };
const bytesOf = (events: WireEvent[]): Uint8Array[] =>
  Array.from(Buffer.from(framed(events) + DONE), (byte) => Uint8Array.of(byte));

/** Behaviors for both formats. */
const COMMON: Behaviors = {
  whole: {
    'null chunks': between('data: null\n\n'),
    'chunks that are not objects': between('data: 42\n\n', 'data: ""\n\n', 'data: true\n\n', 'data: []\n\n'),
    'chunks that are not JSON': between('data: keep-alive\n\n', 'data: {"cut\n\n'),
    comments: between(': OPENROUTER PROCESSING\n\n', ':\n\n'),
    'unknown events': between('event: heartbeat\ndata: {"type":"heartbeat","n":1}\n\n', 'event: x\ndata: x\n\n'),
    'ids and retry fields': between('id: 7\nretry: 3000\n\n'),
    'empty objects': between('data: {}\n\n'),
    'an error that is null': between('data: {"error":null}\n\n', 'data: {"error":{}}\n\n'),
    'an open connection after the end marker': (events) => stream(events, { after: 'open' }),
    'another response after the end marker': (events) => ({ pieces: [framed(events) + DONE + framed(events)] }),
    'one byte at a time': (events) => ({ pieces: bytesOf(events) }),
    'Windows line endings': (events) => ({ pieces: [(framed(events) + DONE).replaceAll('\n', '\r\n')] }),
    'classic Mac OS line endings': (events) => ({ pieces: [(framed(events) + DONE).replaceAll('\n', '\r')] }),
    'no blank lines': (events) => ({ pieces: [(framed(events) + DONE).replaceAll('\n\n', '\n')] }),
    'no space after the colon': (events) => ({ pieces: [(framed(events) + DONE).replaceAll(': {', ':{')] }),
    'a byte order mark': (events) => ({ pieces: [`\uFEFF${framed(events)}${DONE}`] }),
    'no line ending at the end': (events) => ({ pieces: [(framed(events) + DONE).trimEnd()] }),
    'multi-line values': (events) => ({
      pieces: [...events.map((event) => JSON.stringify(event, null, 1).replaceAll(/^/gm, 'data: ') + '\n\n'), DONE],
    }),
    'another content type': (events) => stream(events, { headers: { 'content-type': 'application/octet-stream' } }),
    'a JSON content type': (events) => stream(events, { headers: { 'content-type': 'application/json' } }),
    'one JSON value per line': (events) => ({
      headers: { 'content-type': 'application/x-ndjson' },
      pieces: [events.map((event) => `${JSON.stringify(event)}\n`).join('')],
    }),
  },
  cut: {
    'a lost connection': (events) => ({ pieces: [framed(events.slice(0, -3))], after: 'lost' }),
    'an end without a reason': (events) => ({ pieces: [framed(events.slice(0, -3))] }),
    'an error inside the stream': (events) => stream([...events.slice(0, -3), { error: { message: 'No', code: 502 } }]),
    'an error that is a string': (events) => stream([...events.slice(0, -3), { error: 'CUDA out of memory' }]),
    'an error event without JSON': (events) => ({
      pieces: [`${framed(events.slice(0, -3))}event: error\ndata: upstream\n\n`],
    }),
    'an incomplete chunk': (events) => ({ pieces: [`${framed(events.slice(0, -3))}data: {"choices":[{"del`] }),
  },
  failed: {
    'a web page': page(200),
    'a web page with the content type of a stream': () => ({ pieces: [PAGE] }),
    'a redirect': respond(307, '', { location: 'http://127.0.0.1:9/v1/chat/completions' }),
    'bad credentials': respond(401, { error: { message: 'Invalid key' } }),
    'insufficient credit': respond(402, { error: { message: 'Insufficient Balance' } }),
    'an unknown model': respond(404, { error: 'model "x" not found, try pulling it first' }),
    'a rejection': respond(400, { detail: [{ loc: ['body'], msg: 'no' }] }),
    'a rejection as a list': respond(400, [{ error: { code: 400, status: 'INVALID_ARGUMENT' } }]),
    'a bad gateway': page(502),
    'a rate limit': respond(429, {
      error: { message: 'Rate limit reached on tokens per min. Please try again in 2s.' },
    }),
    'an error with status 200': respond(200, { error: { type: 'authentication_error', message: 'no' } }),
    'an empty response': respond(200, ''),
  },
};
for (const name of ['a bad gateway', 'a rate limit']) {
  const once = COMMON.failed[name];
  if (once !== undefined)
    COMMON.failed[name] = (events) => ({ ...once(events), headers: { ...once(events).headers, ...soon } });
}

const choiceOf = (event: WireEvent): WireEvent => (event['choices'] as WireEvent[])[0] ?? {};
const deltaOf = (event: WireEvent): WireEvent => (choiceOf(event)['delta'] ?? {}) as WireEvent;
const withDelta = (event: WireEvent, delta: WireEvent): WireEvent => ({
  ...event,
  choices: (event['choices'] as WireEvent[]).map((choice) => ({ ...choice, delta: { ...deltaOf(event), ...delta } })),
});
/** Changes each chunk of each call. */
const calls = (change: (call: WireEvent & { function: WireEvent }, index: number) => WireEvent): OddBehavior =>
  changed((event, index) => {
    const pieces = deltaOf(event)['tool_calls'] as (WireEvent & { function: WireEvent })[] | undefined;
    return pieces === undefined ? event : withDelta(event, { tool_calls: pieces.map((call) => change(call, index)) });
  });
/** Sends each call in a single chunk with changed arguments. */
const wholeCalls =
  (change: (args: string, call: WireEvent) => unknown): OddBehavior =>
  (events) => {
    const { message } = wholeOpenAi(events);
    const tool_calls = (message['tool_calls'] as (WireEvent & { function: WireEvent })[]).map((call, index) => ({
      ...call,
      index,
      function: { ...call.function, arguments: change(String(call.function['arguments']), call) },
    }));
    const others = events.filter((event) => deltaOf(event)['tool_calls'] === undefined);
    const last = others.findIndex((event) => typeof choiceOf(event)['finish_reason'] === 'string');
    const first = others[0] ?? {};
    const all = tool_calls.length === 0 ? [] : [withDelta(first, { content: null, tool_calls })];
    return stream([...others.slice(0, last), ...all, ...others.slice(last)]);
  };
const finish = (reason: string | null, more?: Partial<Sending>): OddBehavior =>
  changed((event) => {
    const choices = event['choices'] as WireEvent[];
    if (typeof choiceOf(event)['finish_reason'] !== 'string') return event;
    return { ...event, choices: choices.map((choice) => ({ ...choice, finish_reason: reason })) };
  }, more);
const usage = (figures: unknown): OddBehavior =>
  changed((event) => (event['usage'] === undefined ? event : { ...event, usage: figures }));

/** Joins the chunks of a stream into a response. */
function wholeOpenAi(events: WireEvent[]): { message: WireEvent; reason: unknown; usage: unknown } {
  const pieces = events.flatMap(
    (event) => (deltaOf(event)['tool_calls'] ?? []) as (WireEvent & { function: WireEvent })[],
  );
  const tool_calls = pieces
    .filter(({ id }) => id !== undefined)
    .map((call) => {
      const args = pieces.filter(({ index }) => index === call['index']).map((piece) => piece.function['arguments']);
      return { ...call, function: { ...call.function, arguments: args.join('') } };
    });
  const content = events.map((event) => textOf(deltaOf(event)['content'])).join('');
  return {
    message: { role: 'assistant', content, tool_calls },
    reason: events.map((event) => choiceOf(event)['finish_reason']).find((reason) => typeof reason === 'string'),
    usage: events.find((event) => event['usage'] !== undefined)?.['usage'],
  };
}

const completion = (events: WireEvent[]): WireEvent => {
  const { message, reason, usage: figures } = wholeOpenAi(events);
  return { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage: figures };
};

const OPENAI: Behaviors = {
  whole: {
    'no choices': between('data: {"choices":[]}\n\n', 'data: {"choices":null}\n\n', 'data: {"id":"x"}\n\n'),
    'choices without content': between('data: {"choices":[{}]}\n\n', 'data: {"choices":[{"delta":null}]}\n\n'),
    'empty deltas': between('data: {"choices":[{"delta":{"role":null,"content":null,"tool_calls":null}}]}\n\n'),
    'an unknown role': changed((event) => withDelta(event, { role: 'tool' })),
    'ids that are numbers': changed((event) => ({ ...event, id: 7, model: null, created: 'today' })),
    'empty finish reasons': changed((event) => ({
      ...event,
      choices: (event['choices'] as WireEvent[]).map((choice) => ({
        ...choice,
        finish_reason: choice['finish_reason'] ?? '',
      })),
    })),
    'finish reasons named None': changed((event) => ({
      ...event,
      choices: (event['choices'] as WireEvent[]).map((choice) => ({
        ...choice,
        finish_reason: choice['finish_reason'] ?? 'None',
      })),
    })),
    'an unknown finish reason': finish('eos_token'),
    'a finish reason in capitals': finish('STOP'),
    'no finish reason': finish(null),
    'no end marker': (events) => ({ pieces: [framed(events)] }),
    'no end marker and an open connection': (events) => ({ pieces: [framed(events)], after: 'open' }),
    'a lost connection after the finish reason': (events) => ({ pieces: [framed(events)], after: 'lost' }),
    'a response that is not streamed': (events) => ({
      headers: { 'content-type': 'application/json' },
      pieces: [JSON.stringify(completion(events))],
    }),
    'indented JSON that is not streamed': (events) => ({
      headers: { 'content-type': 'text/plain' },
      pieces: [JSON.stringify(completion(events), null, 2)],
    }),
    'the whole message repeated at the end': (events) => stream([...events, completion(events)]),
    'negative token counts': usage({ prompt_tokens: -100_000, completion_tokens: -5 }),
    'absurd token counts': usage({ prompt_tokens: 1e300, completion_tokens: 4e9 }),
    'token counts that are strings': usage({ prompt_tokens: '10', completion_tokens: {} }),
    'token counts that are not an object': usage('none'),
    'token counts in the choice': changed((event) => {
      const { usage: figures, ...rest } = event;
      return figures === undefined ? event : { ...rest, choices: [{ usage: figures }] };
    }),
    'calls without an index': calls((call) => omit(call, 'index')),
    'calls with the same index': calls((call) => ({ ...call, index: 0, id: call['id'] ?? '' })),
    'calls without ids': calls((call) => ({ ...call, id: null })),
    'calls with the same id': calls((call) => ({ ...call, id: 'call' })),
    'calls without a type': calls((call) => ({ ...call, type: null })),
    'arguments that are objects': wholeCalls((args) => parsed(args)),
    'arguments sent twice': wholeCalls((args) => args + args),
    'an empty object before the arguments': wholeCalls((args) => `{}${args}`),
    'arguments inside a string': wholeCalls((args) => JSON.stringify(args)),
    'calls that end with stop': finish('stop'),
    'reasoning in pieces': between('data: {"choices":[{"delta":{"reasoning_content":"hm "}}]}\n\n'),
    'reasoning details': between(
      'data: {"choices":[{"delta":{"reasoning":"so ","reasoning_details":[{"type":"reasoning.text","text":"so ","index":0}]}}]}\n\n',
    ),
    'content in parts': changed((event) => {
      const { content } = deltaOf(event);
      return typeof content === 'string' ? withDelta(event, { content: [{ type: 'text', text: content }] }) : event;
    }),
    'thinking within the content': changed((event, index) => {
      const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
      return index === 0 ? [withDelta(event, { content: [thought] }), event] : event;
    }),
    'split characters': changed((event) => {
      const { content } = deltaOf(event);
      return Array.from({ length: textOf(content).length }, (_, at) =>
        withDelta(event, { content: textOf(content)[at] }),
      ).concat(typeof content === 'string' && content !== '' ? [] : [event]);
    }),
    'a refusal instead of content': changed((event) => {
      const { content } = deltaOf(event);
      return typeof content === 'string' ? withDelta(event, { content: null, refusal: content }) : event;
    }),
  },
  cut: Object.fromEntries(
    [
      'network_error',
      'insufficient_system_resource',
      'length',
      'model_length',
      'content_filter',
      'SAFETY',
      'error',
    ].map((reason) => [`the finish reason ${reason}`, finish(reason)]),
  ),
  failed: {
    'an error object from vLLM': respond(400, { object: 'error', message: 'no', type: 'BadRequestError', code: 400 }),
  },
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const typed =
  (type: string, change: (event: WireEvent, events: WireEvent[]) => WireEvent | WireEvent[]): OddBehavior =>
  (events) =>
    stream(events.flatMap<WireEvent>((event) => (event['type'] === type ? change(event, events) : event)));
const stopReason = (stop_reason: string | null): OddBehavior =>
  typed('message_delta', (event) => ({ ...event, delta: { ...(event['delta'] as object), stop_reason } }));
const without = (...types: string[]): OddBehavior =>
  changed((event) => (types.includes(String(event['type'])) ? [] : event));
const blocks = (change: (block: WireEvent) => WireEvent): OddBehavior =>
  typed('content_block_start', (event) => ({ ...event, content_block: change(event['content_block'] as WireEvent) }));
const figures = (change: object | undefined): OddBehavior =>
  changed((event) => ({ ...event, ...(event['type'] === 'message_delta' && { usage: change }) }));

/** Joins the events of a stream into a message. */
function wholeAnthropic(events: WireEvent[]): WireEvent {
  const starts = events.filter(({ type }) => type === 'content_block_start');
  const content = starts.map(({ index, content_block }) => {
    const deltas = events.filter((event) => event['type'] === 'content_block_delta' && event['index'] === index);
    const joined = (name: string): string => deltas.map(({ delta }) => textOf((delta as WireEvent)[name])).join('');
    const block = content_block as WireEvent;
    if (block['type'] === 'tool_use') return { ...block, input: parsed(joined('partial_json')) };
    return { ...block, text: joined('text') };
  });
  const { delta, usage: output } = events.find(({ type }) => type === 'message_delta') ?? {};
  return { type: 'message', role: 'assistant', content, ...(delta as object), usage: output };
}

const ANTHROPIC: Behaviors = {
  whole: {
    'unknown blocks': (events) =>
      stream([
        ...events.slice(0, 1),
        { type: 'content_block_start', index: 90, content_block: { type: 'hologram', light: 1 } },
        { type: 'content_block_delta', index: 90, delta: { type: 'light_delta', light: 2 } },
        { type: 'content_block_stop', index: 90 },
        ...events.slice(1),
      ]),
    'unknown deltas': between(
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"citations_delta"}}\n\n',
    ),
    'split characters': typed('content_block_delta', (event) => {
      const { type, text } = event['delta'] as WireEvent;
      if (type !== 'text_delta') return event;
      return textOf(text)
        .split('')
        .map((half) => ({ ...event, delta: { type, text: half } }));
    }),
    pings: between('event: ping\ndata: {"type":"ping"}\n\n'),
    'no start': without('message_start'),
    'two starts': (events) =>
      stream([...events.slice(0, 1), { ...events[0], message: { id: 'other' } }, ...events.slice(1)]),
    'no block starts for text': changed((event) =>
      event['type'] === 'content_block_start' && (event['content_block'] as WireEvent)['type'] === 'text' ? [] : event,
    ),
    'no block stops': without('content_block_stop'),
    'no types in the data': (events) => ({
      pieces: events.map(({ type, ...data }) => `event: ${String(type)}\ndata: ${JSON.stringify(data)}\n\n`),
    }),
    'no event names': (events) => ({ pieces: events.map((event) => `data: ${JSON.stringify(event)}\n\n`) }),
    'text in the block starts': (events) => {
      const { content } = wholeAnthropic(events) as { content: WireEvent[] };
      return stream(
        events.flatMap<WireEvent>((event) => {
          const block = content[Number(event['index'])];
          if (event['type'] === 'content_block_delta') return [];
          return event['type'] === 'content_block_start' ? { ...event, content_block: block } : event;
        }),
      );
    },
    'no end marker': without('message_stop'),
    'no end marker and an open connection': (events) => ({ pieces: [framed(events.slice(0, -1))], after: 'open' }),
    'a lost connection after the stop reason': (events) => ({ pieces: [framed(events.slice(0, -1))], after: 'lost' }),
    'no stop reason': without('message_delta'),
    'a stop reason that is null': stopReason(null),
    'an unknown stop reason': stopReason('bored'),
    'a message that is not streamed': (events) => ({
      headers: { 'content-type': 'application/json' },
      pieces: [JSON.stringify(wholeAnthropic(events))],
    }),
    'negative token counts': figures({ input_tokens: -100_000, output_tokens: -5 }),
    'absurd token counts': figures({ input_tokens: 1e300, output_tokens: 4e9 }),
    'no token counts': figures(undefined),
    'token counts that are strings': figures({ output_tokens: '7' }),
    'calls without ids': blocks((block) => ({ ...block, id: undefined })),
    'calls with the same id': blocks((block) => ({ ...block, ...(block['id'] !== undefined && { id: 'toolu' }) })),
    'calls without input': blocks((block) => omit(block, 'input')),
    'calls whose input is null': blocks((block) => ({ ...block, input: null })),
    'missing indexes': changed((event) => omit(event, 'index')),
    'thinking without a signature': (events) =>
      stream([
        ...events.slice(0, 1),
        { type: 'content_block_start', index: 80, content_block: { type: 'thinking', thinking: 'hm' } },
        { type: 'content_block_stop', index: 80 },
        ...events.slice(1),
      ]),
    'redacted thinking': (events) =>
      stream([
        ...events.slice(0, 1),
        { type: 'content_block_start', index: 81, content_block: { type: 'redacted_thinking', data: 'x' } },
        { type: 'content_block_stop', index: 81 },
        ...events.slice(1),
      ]),
  },
  cut: Object.fromEntries(
    ['max_tokens', 'model_context_window_exceeded', 'refusal', 'pause_turn', 'network_error'].map((reason) => [
      `the stop reason ${reason}`,
      stopReason(reason),
    ]),
  ),
  failed: {
    'an error event at the beginning': () =>
      stream([{ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }]),
  },
};

const together = (one: Behaviors, other: Behaviors): Behaviors => ({
  whole: { ...one.whole, ...other.whole },
  cut: { ...one.cut, ...other.cut },
  failed: { ...one.failed, ...other.failed },
});

/** Odd behaviors by format. Each was reported for a real provider. */
export const ODD: Record<WireFormat, Behaviors> = {
  openai: together(COMMON, OPENAI),
  anthropic: together(COMMON, ANTHROPIC),
};
