import {
  hasLocks,
  hasSlotWaiters,
  type HeldLock,
  type LockOptions,
  reserveStreamSlot,
  takeLock,
} from './browser-locks.js';
import { ConnectionError } from './errors.js';
import { type EventStream, openStream } from './event-streams.js';
import type { ServerSentEvent } from './server-sent-events.js';
import { LinkedSignal } from './time.js';
import type { PlainCall, Transport } from './transport.js';

/** Heartbeat interval of the window that reads the stream. */
const HEARTBEAT_MS = 10_000;
/** Maximum silence of the window that reads the stream. After that, another window takes over. */
const SILENCE_MS = 45_000;
/** Minimum time that a stream keeps its slot while other streams are waiting. */
const MIN_SLOT_MS = 1_000;

/** Messages that the reading window broadcasts. Other windows send it `join`. */
type Message =
  | { kind: 'join' | 'alive' | 'lost' }
  | { kind: 'opened'; isResumed: boolean }
  | { kind: 'events'; events: ServerSentEvent[] };

/** Start position of a stream. */
export interface StreamStart {
  params: NonNullable<PlainCall['params']>;
  /** Whether the stream continues after this reader's last event. */
  isResumed: boolean;
}

/**
 * Event stream of a single reader. With `shareStreams`, all of a browser's windows share a stream. The window that holds the
 * lock reads the stream and broadcasts its events. A window releases the lock when it closes, and loses the lock when it hangs.
 * Abort the signal when a window is hidden, because browsers freeze hidden windows.
 */
export class SharedStream {
  private readonly name: string | undefined;
  private readonly channel: InstanceType<typeof BroadcastChannel> | undefined;
  /** Receives the messages of another window while this window follows it. */
  private inbox: ((message: Message) => void) | undefined;
  private lead: HeldLock | undefined;
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private isOpen = false;
  private isClosed = false;

  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    topic: readonly (string | undefined)[],
    private readonly signal: AbortSignal | undefined,
  ) {
    const { shareStreams, baseUrl } = transport;
    if (shareStreams === undefined || !hasLocks()) return;
    this.name = `project-workspace ${JSON.stringify([shareStreams, baseUrl, path, ...topic])}`;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }: { data: unknown }) => {
      const message = data as Message;
      if (message.kind !== 'join') this.inbox?.(message);
      else if (this.isOpen) this.post({ kind: 'opened', isResumed: true });
    };
  }

  /** Opens the stream, or joins the window that reads it. @throws {@link ServiceError} @throws {@link ConnectionError} */
  async open(start: StreamStart): Promise<EventStream> {
    const { name } = this;
    if (name === undefined) return await openStream(this.transport, this.path, start.params, this.signal);
    if (this.lead === undefined) this.becomeLeader(await takeLock(name, { ifAvailable: true }));
    this.signal?.throwIfAborted();
    const { lead } = this;
    return lead === undefined ? await this.join(name, start) : await this.read(lead, start);
  }

  /** Hands the stream over to the other windows. */
  close(): void {
    this.isClosed = true;
    this.releaseLead();
    this.channel?.close();
  }

  private post(message: Message): void {
    if (!this.isClosed) this.channel?.postMessage(message);
  }

  private becomeLeader(lead: HeldLock | undefined): void {
    if (this.isClosed) lead?.release();
    if (this.isClosed || lead === undefined) return;
    this.releaseLead();
    this.lead = lead;
    this.heartbeat = setInterval(() => this.post({ kind: 'alive' }), HEARTBEAT_MS);
    lead.stolen.addEventListener('abort', () => {
      if (this.lead === lead) this.releaseLead();
    });
  }

  private releaseLead(): void {
    clearInterval(this.heartbeat);
    this.lead?.release();
    this.lead = undefined;
  }

  /** Reads the stream for all windows. */
  private async read(lead: HeldLock, start: StreamStart): Promise<EventStream> {
    const linked = new LinkedSignal(this.signal);
    lead.stolen.addEventListener('abort', () => linked.abort(lead.stolen.reason));
    let slot: HeldLock | undefined;
    const end = (): void => {
      this.isOpen = false;
      linked.release();
      slot?.release();
    };
    try {
      slot = await reserveStreamSlot(linked.signal);
      linked.signal.throwIfAborted();
      const stream = await openStream(this.transport, this.path, start.params, linked.signal);
      this.isOpen = true;
      this.post({ kind: 'opened', isResumed: start.isResumed });
      const close = async (): Promise<void> => {
        end();
        await stream.close();
      };
      return { events: this.readAndBroadcast(stream, lead, slot, end), close };
    } catch (error) {
      end();
      this.signal?.throwIfAborted();
      if (lead.stolen.aborted) return await this.open(start);
      throw error;
    }
  }

  private async *readAndBroadcast(
    stream: EventStream,
    lead: HeldLock,
    slot: HeldLock,
    end: () => void,
  ): AsyncGenerator<ServerSentEvent[] | null, void> {
    const slotTurn = { isFinished: false };
    const yieldSlot = async (): Promise<void> => {
      if (!(await hasSlotWaiters(slot))) return;
      slotTurn.isFinished = true;
      await stream.close();
    };
    const timer = setInterval(() => void yieldSlot(), MIN_SLOT_MS);
    try {
      for await (const events of stream.events) {
        if (events !== null && events.length > 0) this.post({ kind: 'events', events });
        yield events;
      }
    } catch (error) {
      this.signal?.throwIfAborted();
      if (slotTurn.isFinished || lead.stolen.aborted) return;
      this.post({ kind: 'lost' });
      throw error;
    } finally {
      clearInterval(timer);
      end();
    }
  }

  /** Follows the window that reads the stream. Opens the stream here if that window leaves before this window has joined. */
  private async join(name: string, start: StreamStart): Promise<EventStream> {
    const events = this.followLeader(name);
    if ((await events.next()).done === true) return await this.open(start);
    const close = async (): Promise<void> => {
      await events.return();
    };
    return { events: withInitialGap(events), isJoined: true, close };
  }

  /**
   * Yields the events that another window broadcasts, and null where events may be missing. Ends when this window should open the
   * stream.
   */
  private async *followLeader(name: string): AsyncGenerator<ServerSentEvent[] | null, void> {
    const linked = new LinkedSignal(this.signal);
    let queue!: ReadableStreamDefaultController<Message>;
    const messages = new ReadableStream<Message>({ start: (controller) => void (queue = controller) }).getReader();
    const stop = (): void => {
      clearTimeout(timeout);
      this.inbox = undefined;
      linked.abort();
    };
    const requestLead = (options: LockOptions): void => {
      takeLock(name, options).then(
        (lock) => {
          stop();
          this.becomeLeader(lock);
          queue.close();
        },
        (error: unknown) => queue.error(error),
      );
    };
    let timeout: ReturnType<typeof setTimeout> | undefined;
    const restartTimeout = (): void => {
      clearTimeout(timeout);
      timeout = setTimeout(() => requestLead({ steal: true }), SILENCE_MS);
    };
    restartTimeout();
    this.inbox = (message) => {
      restartTimeout();
      queue.enqueue(message);
    };
    requestLead({ signal: linked.signal });
    this.post({ kind: 'join' });
    let isJoined = false;
    try {
      for (;;) {
        const { value: message } = await messages.read();
        if (message === undefined) return;
        if (message.kind === 'lost') throw new ConnectionError('The event stream was interrupted');
        if (message.kind === 'opened' && !(isJoined && message.isResumed)) yield null;
        if (message.kind === 'opened') isJoined = true;
        if (message.kind === 'events' && isJoined) yield message.events;
      }
    } finally {
      stop();
    }
  }
}

async function* withInitialGap(events: AsyncGenerator<ServerSentEvent[] | null, void>) {
  yield null;
  yield* events;
}
