import type { ServerResponse } from 'node:http';
import { resync, type StreamEvent, toText } from './server-sent-event.js';

/** Keeps proxies from storing, changing or buffering the events. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};
const RECONNECT_MS = 1_000;

export interface OutputTimes {
  /** Interval between the keep-alive comments. */
  pingMs: number;
  /** Time without reads after which a client is disconnected. */
  stallMs: number;
  /** Additional time for a stalled client to read the data already sent. */
  lingerMs: number;
}

/** Open response that events are written to. Buffers at most the events of the last {@link send}. */
export class EventOutput {
  private readonly ping: NodeJS.Timeout;
  private opened = true;

  /** @param onClose called once, after the client disconnected or {@link close} was called */
  constructor(
    private readonly response: ServerResponse,
    private readonly times: OutputTimes,
    private readonly onClose: () => void,
  ) {
    response.writeHead(200, HEADERS);
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    response.on('error', () => this.close());
    response.on('close', () => this.close());
    this.ping = setInterval(() => {
      if (!response.writableNeedDrain) response.write(': ping\n\n');
    }, times.pingMs);
    // The client may have disconnected before the listeners were added.
    if (response.closed) this.close();
  }

  get isOpen(): boolean {
    return this.opened;
  }

  /** Sends events and waits until the client can receive more. Returns false once the stream is closed. */
  async send(events: StreamEvent[]): Promise<boolean> {
    if (!this.opened || events.length === 0) return this.isOpen;
    if (this.response.write(toText(events))) return true;
    if (!(await this.drained())) this.disconnect();
    return this.isOpen;
  }

  /** Ends the response cleanly. */
  close(): void {
    if (!this.opened) return;
    this.opened = false;
    clearInterval(this.ping);
    this.response.end();
    this.onClose();
  }

  private drained(): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (value: boolean) => (): void => {
        clearTimeout(patience);
        this.response.off('drain', drain).off('close', closed);
        resolve(value);
      };
      const [drain, closed] = [finish(true), finish(false)];
      const patience = setTimeout(closed, this.times.stallMs);
      this.response.once('drain', drain).once('close', closed);
    });
  }

  /** Disconnects a client that is too slow. */
  private disconnect(): void {
    if (!this.opened) return;
    const { response } = this;
    response.write(toText([resync('too_slow')]));
    this.close();
    const linger = setTimeout(() => response.destroy(), this.times.lingerMs);
    response.on('close', () => clearTimeout(linger));
  }
}
