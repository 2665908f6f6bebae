import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { RevocationsChannel } from '../../platform/auth/api-keys/revocations.channel.js';
import type { Principal } from '../../platform/auth/principal.js';
import { TooManyRequests, Unavailable } from '../../platform/errors/errors.js';
import { LOGGER } from '../../platform/logging/logging.module.js';
import { Metrics } from '../../platform/metrics/metrics.service.js';
import { IntervalRunner } from '../../platform/leases/interval-runner.js';
import type { ProjectReader } from '../../projects/project-access.js';
import type { ProjectId } from '../../projects/project.entity.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { ConversationId } from '../messages/conversation-id.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { EventOutput } from './event-output.js';
import { type Position, positionAfter, positionAt } from './position.js';
import type { ChatStreamQuery } from './stream.dto.js';
import { StreamHub } from './stream-hub.service.js';
import { type Cursor, StreamReadsRepository } from './stream-reads.repository.js';
import { WakeSignal } from './wake-signal.js';
import { type ResyncReason, resync, stepOver } from './stream-step.js';

const MAX_STREAMS = 20;
const RETRY_SECONDS = 5;
/** A stream ends within 5 s of its reader's right to see the project. */
const CHECK_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a reader asks for. */
export interface StreamRequest extends ChatStreamQuery {
  /** Sent by an EventSource when it reconnects; overrides the query, which is that of the first connection. */
  lastEventId: string | undefined;
}

/** Open event streams of this process. */
@Injectable()
export class StreamsService implements OnModuleDestroy, OnModuleInit {
  /** Times in milliseconds, which tests shorten. */
  readonly times = { pingMs: 15_000, stallMs: 10_000, lingerMs: 5_000 };
  private checks: IntervalRunner | undefined;
  private readonly open = new Map<EventOutput, { reader: ProjectReader; project_id: ProjectId }>();
  private readonly counts = new Map<string, number>();
  private isStopping = false;

  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly reads: StreamReadsRepository,
    private readonly hub: StreamHub,
    private readonly revocations: RevocationsChannel,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.gauges([{ name: 'pws_stream_readers', help: 'Event streams that this process has open' }], () => ({
      pws_stream_readers: this.size,
    }));
  }

  /** How many streams are open. */
  get size(): number {
    return this.open.size;
  }

  onModuleInit(): void {
    this.checks = new IntervalRunner(() => this.closeLost(), 'streams could not be checked', this.logger, CHECK_MS);
  }

  /** Readers reconnect to another process and resume there. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const output of this.open.keys()) output.close();
    await this.checks?.stop();
  }

  /** Closes the streams of those who do not see the project any more, all in one look. */
  private async closeLost(): Promise<void> {
    const open = Array.from(this.open, ([output, followed]) => ({ output, ...followed }));
    if (open.length === 0) return;
    try {
      for (const { output } of await this.projects.lost(open)) output.close();
    } catch (error) {
      this.logger.warn({ err: error }, 'it could not be looked at who may follow streams');
    }
  }

  /**
   * Sends what happens in a conversation until the reader goes, its credential ends, or this process stops.
   *
   * @throws NotFound, TooManyRequests, Unavailable before anything was sent.
   */
  async stream(
    reader: ProjectReader,
    projectId: string,
    request: StreamRequest,
    response: ServerResponse,
  ): Promise<void> {
    const { caller } = reader;
    const project = await this.projects.require(reader, projectId);
    const { id } = await this.conversations.require(project.id, request.conversation_id);
    if (this.isStopping) throw new Unavailable();
    const leave = this.enter(caller);
    const signal = new WakeSignal();
    const unwatch = this.hub.watch(id, () => signal.send());
    const output = new EventOutput(response, this.times, () => signal.send());
    this.open.set(output, { reader, project_id: project.id });
    const release = this.closeWithCredential(caller, output);
    try {
      await this.feed(id, wantedPosition(request), output, signal);
    } catch (error) {
      // The reader connects again; nothing is lost.
      this.logger.warn({ err: error }, 'a stream was given up');
    } finally {
      release();
      this.open.delete(output);
      output.close();
      unwatch();
      leave();
    }
  }

  private async feed(
    id: ConversationId,
    wanted: Position | 'unknown' | null,
    output: EventOutput,
    signal: WakeSignal,
  ): Promise<void> {
    const present = (): Promise<Cursor | null> => this.reads.present(id);
    const start = async (reason: ResyncReason): Promise<Cursor | null> =>
      (await output.send([resync(reason)])) ? await present() : null;
    let cursor: Cursor | null;
    if (wanted === null) cursor = await present();
    else {
      const known = wanted === 'unknown' ? null : await this.reads.cursorAt(id, wanted);
      cursor = known ?? (await start('unknown_position'));
    }
    while (cursor !== null && output.isOpen) {
      const following = await this.hub.read(id, cursor);
      // The conversation was deleted.
      if (following === null) return;
      const step = stepOver(cursor, following);
      if (step === null) {
        cursor = await start('evicted');
        continue;
      }
      if (!(await output.send(step.events))) return;
      cursor = step.cursor;
      if (!step.more) await signal.received();
    }
  }

  /** Closes a stream when the caller's credential expires or is revoked, until the returned function is called. */
  private closeWithCredential({ expires_at, api_key_id }: Principal, output: EventOutput): () => void {
    const close = (): void => output.close();
    const lifetime = (expires_at?.getTime() ?? Infinity) - Date.now();
    const expiry = setTimeout(close, Math.min(LONGEST_TIMER_MS, Math.max(0, lifetime)));
    const unwatch = api_key_id === null ? undefined : this.revocations.watch(api_key_id, close);
    return () => {
      clearTimeout(expiry);
      unwatch?.();
    };
  }

  /** Counts a stream of the caller; the answer ends it. @throws TooManyRequests */
  private enter({ kind, company_id, user_id, api_key_id }: Principal): () => void {
    const key = JSON.stringify([kind, company_id, user_id ?? api_key_id]);
    const count = this.counts.get(key) ?? 0;
    if (count >= MAX_STREAMS)
      throw new TooManyRequests('too_many_streams', `${MAX_STREAMS} streams are open already`, RETRY_SECONDS);
    this.counts.set(key, count + 1);
    return () => {
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left === 0) this.counts.delete(key);
      else this.counts.set(key, left);
    };
  }
}

function wantedPosition({ lastEventId, turn_id, from_seq }: StreamRequest): Position | 'unknown' | null {
  if (lastEventId !== undefined && lastEventId !== '') return positionAfter(lastEventId) ?? 'unknown';
  return turn_id === undefined ? null : (positionAt(turn_id, from_seq) ?? 'unknown');
}
