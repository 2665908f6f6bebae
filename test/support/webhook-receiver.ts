import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Request that was sent to a webhook. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  body: { id: number; type: string; project_id?: string; data: Record<string, unknown> };
}

/** Handles a received request and sends the response. If it sends no response, the request hangs. */
export type Answering = (received: Received, response: ServerResponse, count: number) => void;

export const take: Answering = (_, response) => void response.writeHead(204).end();
export const fail: Answering = (_, response) => void response.writeHead(500).end('No.');
export const hang: Answering = () => undefined;

/** Program that receives webhook deliveries. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  answer: Answering = take;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const received = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] };
        receiver.received.push(received);
        receiver.answer(received, response, receiver.received.length);
      });
      request.on('error', () => undefined);
    });
    const receiver = new WebhookReceiver(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Ids of the received events, ordered by their first delivery. */
  get firstIds(): number[] {
    return [...new Set(this.received.map(({ body }) => body.id))];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
