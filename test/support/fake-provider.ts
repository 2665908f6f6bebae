import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OddBehavior, sendOddly, toFrame, type WireEvent } from './odd-provider.js';
import { problemsOf } from './strict-provider.js';
import { text as readText } from 'node:stream/consumers';

/** Wire formats of model providers: OpenAI's chat completions and Anthropic's messages, both streamed. */
export type WireFormat = 'openai' | 'anthropic';

export interface ModelReply {
  text?: string[];
  /** Arguments as an object, or as a string that may be invalid JSON. */
  calls?: { tool: string; input: object | string }[];
  tokens?: { input: number; output: number };
  /** OpenAI's finish reason. Defaults to `tool_calls` if there are calls, and to `stop` otherwise. */
  finish?: 'stop' | 'length' | 'tool_calls';
  /** Promise that delays the second text. */
  hold?: Promise<void>;
  /**
   * Fault instead of a complete response: an error status, a stream that ends or loses its connection after the text,
   * an error inside the stream, or no response.
   */
  fault?: { status: number; headers?: Record<string, string>; body?: string } | 'ends' | 'dies' | 'error' | 'hangs';
  /** Provider-specific data: fields of the message, of each call, and of Anthropic's thinking. */
  data?: { message?: object; calls?: object[]; thinking?: { thinking: string; signature: string } };
  /** Odd provider whose behavior the response imitates. */
  odd?: OddBehavior;
}

/** Image in a request, as received over the wire. */
export interface ModelImage {
  /** Role of the message that contains the image, or `result` inside a tool result. */
  role: string;
  media_type: string;
  base64: string;
}

/** Request, independent of its wire format. */
export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  /** All instructions before the conversation. */
  system: string;
  /** All text messages in the conversation with their roles, including tool results. */
  messages: { role: string; text: string }[];
  /** All images in the conversation, in order. */
  images: ModelImage[];
  tools: string[];
  /** Body as received over the wire. */
  body: WireBody;
  /** Reasons why strict providers reject the request. Empty if they accept it. */
  problems: string[];
  /** Whether the client disconnected before the response was complete. */
  wasAbandoned: boolean;
}

export interface WireMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface WireBody {
  system?: unknown;
  messages: WireMessage[];
  tools?: { name?: string; function?: { name: string } }[];
}

/** Anthropic's limits: the base64 length of an image, and the number of images above which fewer pixels are allowed. */
const MAX_BASE64 = 5_242_880;
const MAX_IMAGES = 20;
/** Expected start of a base64-encoded image by media type. It encodes the first bytes of the image. */
const BEGINNINGS: Record<string, RegExp> = {
  'image/png': /^iVBORw0KGg/,
  'image/jpeg': /^\/9j\//,
  'image/gif': /^R0lGOD/,
  'image/webp': /^UklGR/,
};

/**
 * Model provider on its own port. `answer` plays the model. The provider returns 400 for everything that strict
 * providers reject.
 */
export class FakeProvider {
  readonly requests: ModelRequest[] = [];

  private constructor(
    private readonly format: WireFormat,
    private readonly server: Server,
  ) {}

  static async start(
    format: WireFormat,
    answer: (request: ModelRequest, count: number) => ModelReply,
  ): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(format, server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      provider.serve(request, response, answer).catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  /** Base URL for AGENT_BASE_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(
    incoming: IncomingMessage,
    response: ServerResponse,
    answer: (request: ModelRequest, count: number) => ModelReply,
  ): Promise<void> {
    const body = JSON.parse(await readText(incoming)) as WireBody;
    const request = this.read(incoming, body);
    this.requests.push(request);
    if (request.problems.length > 0 || !request.images.every(isTaken) || request.images.length > MAX_IMAGES) {
      response.writeHead(400).end();
      return;
    }
    response.on('close', () => (request.wasAbandoned = !response.writableFinished));
    const reply = answer(request, this.requests.length);
    const { fault } = reply;
    if (fault === 'hangs') return;
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      const error = { type: 'error', error: { type: 'fault', message: 'Key sk-secret is not good' } };
      response.end(fault.body ?? JSON.stringify(error));
      return;
    }
    if (reply.odd !== undefined) {
      const { begin, text, end } = this.format === 'openai' ? openai(reply) : anthropic(reply);
      const events = [...begin, ...(reply.text ?? []).flatMap(text), ...end];
      await sendOddly(response, reply.odd(events as WireEvent[]), this.format);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const { begin, text, end } = this.format === 'openai' ? openai(reply) : anthropic(reply);
    const send = (events: object[]): void => {
      for (const event of events) response.write(toFrame(event));
    };
    send(begin);
    for (const [index, piece] of (reply.text ?? []).entries()) {
      if (index === 1) await reply.hold;
      send(text(piece));
    }
    if (fault === 'error') send([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]);
    // Closes the connection only after the written data has had time to arrive.
    else if (fault === 'dies') setTimeout(() => response.destroy(), 50);
    else if (fault === undefined) send(end);
    if (fault === 'dies') return;
    if (this.format === 'openai' && fault === undefined) response.write('data: [DONE]\n\n');
    response.end();
  }

  private read({ url = '', headers }: IncomingMessage, { system, messages, tools = [] }: WireBody): ModelRequest {
    return {
      path: url,
      headers,
      system: textOf(system) + messages.filter(isSystem).map(textOf).join(''),
      messages: messages
        .filter((message) => !isSystem(message))
        .map((message) => ({ role: message.role, text: textOf(message) })),
      images: messages.flatMap(({ role, content }) => imagesOf(content, role)),
      tools: tools.map(({ name, function: declared }) => name ?? declared?.name ?? ''),
      body: { system, messages, tools },
      problems: problemsOf(this.format, messages),
      wasAbandoned: false,
    };
  }
}

const isSystem = ({ role }: WireMessage): boolean => role === 'system' || role === 'developer';

/** Returns whether providers accept the first bytes and the size of an image. */
const isTaken = ({ media_type, base64 }: ModelImage): boolean =>
  base64.length <= MAX_BASE64 && BEGINNINGS[media_type]?.test(base64) === true;

/** Returns the image in a content part of either format. */
function imageOf(part: object): Omit<ModelImage, 'role'> | undefined {
  const { type, source, image_url } = part as {
    type?: unknown;
    source?: { type: string; media_type: string; data: string };
    image_url?: { url: string };
  };
  if (type === 'image' && source?.type === 'base64') return { media_type: source.media_type, base64: source.data };
  const [, media_type, base64] =
    (type === 'image_url' && /^data:([^;]*);base64,(.*)$/.exec(image_url?.url ?? '')) || [];
  return media_type === undefined || base64 === undefined ? undefined : { media_type, base64 };
}

/** Returns all images in a message content, including images in tool results. */
function imagesOf(content: unknown, role: string): ModelImage[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: { type?: unknown; content?: unknown }) => {
    const image = imageOf(part);
    return image === undefined ? imagesOf(part.content, 'result') : [{ role, ...image }];
  });
}

/** Returns all text inside a value, as a model would read it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null || imageOf(value) !== undefined) return '';
  return Object.values(value).map(textOf).join('\n');
}

interface Events {
  begin: object[];
  text: (piece: string) => object[];
  end: object[];
}

const argumentsOf = (input: object | string): string => (typeof input === 'string' ? input : JSON.stringify(input));
/** Splits the arguments of a call in two, because real providers send them in several chunks. */
const halves = (text: string): [string, string] => [
  text.slice(0, Math.ceil(text.length / 2)),
  text.slice(Math.ceil(text.length / 2)),
];

function openai({ calls = [], tokens, finish, data = {} }: ModelReply): Events {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const { input, output } = tokens ?? { input: 0, output: 0 };
  return {
    begin: [chunk({ role: 'assistant', content: '', ...data.message })],
    text: (content) => [chunk({ content })],
    end: [
      ...calls.flatMap(({ tool, input: given }, index) => {
        const [first, second] = halves(argumentsOf(given));
        const called = { name: tool, arguments: first };
        const head = { index, id: `call_${index}`, type: 'function', function: called, ...data.calls?.[index] };
        return [chunk({ tool_calls: [head] }), chunk({ tool_calls: [{ index, function: { arguments: second } }] })];
      }),
      chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'fake',
        choices: [],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      },
    ],
  };
}

function anthropic({ text = [], calls = [], tokens, finish, data = {} }: ModelReply): Events {
  const { input, output } = tokens ?? { input: 0, output: 0 };
  const stop_reason = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[
    finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  ];
  const thought = data.thinking === undefined ? 0 : 1;
  const said = thought + (text.length > 0 ? 1 : 0);
  return {
    begin: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'fake',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: input, output_tokens: 0 },
        },
      },
      ...thinkingEvents(data.thinking),
      ...(text.length === 0
        ? []
        : [{ type: 'content_block_start', index: thought, content_block: { type: 'text', text: '' } }]),
    ],
    text: (piece) => [{ type: 'content_block_delta', index: thought, delta: { type: 'text_delta', text: piece } }],
    end: [
      ...(text.length === 0 ? [] : [{ type: 'content_block_stop', index: thought }]),
      ...calls.flatMap(({ tool, input: given }, at) => {
        const index = at + said;
        const content_block = { type: 'tool_use', id: `toolu_${index}`, name: tool, input: {} };
        return [
          { type: 'content_block_start', index, content_block },
          ...halves(argumentsOf(given)).map((partial_json) => ({
            type: 'content_block_delta',
            index,
            delta: { type: 'input_json_delta', partial_json },
          })),
          { type: 'content_block_stop', index },
        ];
      }),
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: output },
      },
      { type: 'message_stop' },
    ],
  };
}

const thinkingEvents = (thinking: { thinking: string; signature: string } | undefined): object[] =>
  thinking === undefined
    ? []
    : [
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: thinking.thinking } },
        { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: thinking.signature } },
        { type: 'content_block_stop', index: 0 },
      ];
