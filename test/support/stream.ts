import http from 'node:http';
import type { CardResponse } from '../../src/projects/canvas/canvas.dto.js';
import type { ChatMessageResponse, ToolCallData } from '../../src/chat/messages/message.dto.js';
import type { Wire } from './client.js';
import { eventually } from './eventually.js';

export type Message = Wire<ChatMessageResponse>;
type Call = Wire<ToolCallData>;

/** Server-sent event. */
export interface StreamedEvent {
  id?: string;
  event: string;
  /** Raw text of the event. */
  text: string;
  data: Record<string, unknown>;
}

export interface StreamOptions {
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  /** Project stream to open. Defaults to `chat/stream`. */
  of?: 'chat/stream' | 'events';
}

/** Open event stream. It is read manually, so that a test can also stop reading. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  /** Everything received so far, including comments. */
  received = '';
  isOver = false;
  private rest = '';

  private constructor(
    private readonly request: http.ClientRequest,
    readonly response: http.IncomingMessage,
  ) {
    response.setEncoding('utf8');
    const end = (): void => void (this.isOver = true);
    response.on('end', end).on('close', end).on('error', end);
    this.resume();
  }

  /** Opens `/projects/{id}/chat/stream` or another of the project's streams. If the status is not 200, there are no events. */
  static async open(
    url: string,
    token: string,
    project: string,
    { query = {}, headers = {}, of = 'chat/stream' }: StreamOptions = {},
  ): Promise<EventStream> {
    const target = new URL(`${url}/api/v1/projects/${project}/${of}`);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
    const request = http.get(target, { agent: false, headers: { authorization: `Bearer ${token}`, ...headers } });
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
    });
    request.on('error', () => undefined);
    return new EventStream(request, response);
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  /** Stops reading for a while, as if the network connection were lost. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    if (this.response.listenerCount('data') === 0) this.response.on('data', (text: string) => this.take(text));
    this.response.resume();
  }

  close(): void {
    this.request.destroy();
  }

  named(event: string): StreamedEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  /** Waits until the events satisfy a condition. */
  async until(done: (events: StreamedEvent[]) => boolean, until: string, deadlineMs = 10_000): Promise<void> {
    // Returns only event names, because the error message shows the last result.
    const look = (): Promise<string[]> => Promise.resolve(this.events.map(({ event }) => event));
    await eventually(look, () => done(this.events), { until, deadlineMs });
  }

  /** Waits until a number of turns have ended. */
  async ended(turns = 1): Promise<void> {
    await this.until(() => this.named('turn.ended').length >= turns, `${turns} turns have ended`);
  }

  async over(): Promise<void> {
    await eventually(() => Promise.resolve(this.isOver), Boolean, { until: 'the stream has ended' });
  }

  private take(text: string): void {
    this.received += text;
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
      if (event === undefined || data === undefined) continue;
      const parsed = JSON.parse(data) as Record<string, unknown>;
      this.events.push({ ...(id !== undefined && { id }), event, text: data, data: parsed });
    }
  }
}

/** Applies an event to a message, as a web client would. Independent of the service's own implementation. */
export function foldMessage(message: Message | null, { event, data }: StreamedEvent): Message | null {
  if (event === 'turn.started') return data['message'] as Message;
  if (message === null) return null;
  const next = structuredClone(message);
  const segments = (next.content_segments ??= []);
  const calls = (next.tool_calls ??= []);
  switch (event) {
    case 'text.delta': {
      const at = data['segment'] as number;
      segments[at] ??= { type: 'text', content: '' };
      segments[at].content += data['text'] as string;
      next.content = segments.flatMap(({ type, content }) => (type === 'text' ? [content] : [])).join('\n\n');
      break;
    }
    case 'tool.started': {
      const call = data['call'] as Call;
      segments[data['segment'] as number] = { type: 'tool_call', ...call };
      calls.push(call);
      break;
    }
    case 'tool.finished': {
      const call = data['call'] as Call;
      segments[segments.findIndex(({ id }) => id === call.id)] = { type: 'tool_call', ...call };
      calls[calls.findIndex(({ id }) => id === call.id)] = call;
      break;
    }
    case 'cards.changed': {
      const { cards, removed_card_ids = [] } = data as { cards: Wire<CardResponse>[]; removed_card_ids?: string[] };
      const ids = [...cards.map(({ id }) => id), ...removed_card_ids];
      next.affected_card_ids = [...new Set([...next.affected_card_ids, ...ids])];
      break;
    }
    case 'turn.ended':
      next.is_partial = false;
      break;
  }
  return next;
}
