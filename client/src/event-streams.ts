import { ConnectionError } from './errors.js';
import { readEvents, type ServerSentEvent } from './server-sent-events.js';
import { Watchdog } from './time.js';
import type { PlainCall, Transport } from './transport.js';

/** Maximum time without data. The service sends a keep-alive every 15 seconds. */
const SILENCE_MS = 45_000;

export interface EventStream {
  /**
   * Groups of events as they arrive. A group may be empty. Null means that events may be missing before the next group. Ends when
   * the stream should be reopened immediately. @throws ConnectionError if the stream was lost, or ended by the service
   */
  events: AsyncGenerator<ServerSentEvent[] | null, void>;
  /** Whether another window opened the stream. The stream then begins with a gap. */
  isJoined?: boolean;
  close(): Promise<void>;
}

/**
 * Opens an event stream without retries. The stream fails if nothing arrives for 45 seconds.
 *
 * @throws {@link ServiceError} @throws {@link ConnectionError}
 */
export async function openStream(
  transport: Transport,
  path: string,
  params: PlainCall['params'],
  signal: AbortSignal | undefined,
): Promise<EventStream> {
  const watchdog = new Watchdog(signal, SILENCE_MS);
  const headers = { accept: 'text/event-stream' };
  try {
    const call = { params: params ?? {}, headers, parseAs: 'stream', signal: watchdog.signal } as const;
    const { data, token } = await transport.callOnce('get', path, call);
    // The service ends a stream when its token expires. Other requests with the token may still succeed for a while, so the
    // token is discarded here.
    const onEnd = async (): Promise<void> => await transport.credentials.reject(token);
    const events = readWithWatchdog(data as ReadableStream<Uint8Array>, watchdog, signal, onEnd);
    return {
      events,
      close: async () => {
        // If the generator has not started, `return` does not run its body.
        watchdog.abort(new DOMException('The stream was closed', 'AbortError'));
        await events.return();
      },
    };
  } catch (error) {
    watchdog.release();
    signal?.throwIfAborted();
    throw watchdog.signal.aborted
      ? new ConnectionError('The event stream could not be opened', { cause: error })
      : error;
  }
}

async function* readWithWatchdog(
  body: ReadableStream<Uint8Array>,
  watchdog: Watchdog,
  signal: AbortSignal | undefined,
  onEnd: () => Promise<void>,
): AsyncGenerator<ServerSentEvent[], void> {
  try {
    for await (const events of readEvents(body)) {
      watchdog.refresh();
      yield events;
    }
    await onEnd();
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError('The event stream was interrupted', { cause: error });
  } finally {
    watchdog.release();
  }
  throw new ConnectionError('The service closed the event stream');
}
