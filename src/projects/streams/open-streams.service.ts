import type { ProjectId } from '../../database/checked-id.js';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { RevocationsChannel } from '../../auth/api-keys/revocations.channel.js';
import type { Principal } from '../../auth/principal.js';
import { Unavailable } from '../../common/errors/errors.js';
import { EventOutput } from '../../common/event-stream/event-output.js';
import { WakeSignal } from '../../common/event-stream/wake-signal.js';
import { IntervalRunner } from '../../common/leases/interval-runner.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { MetricsService } from '../../common/metrics/metrics.service.js';
import type { ProjectReader } from '../project-access.js';
import { ProjectsRepository } from '../projects.repository.js';
import { StreamCounts } from './stream-counts.js';

/** Interval between access checks. A stream ends within 5 s after its reader loses access to the project. */
const CHECK_MS = 2_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Source of the events that a stream sends. */
export interface StreamSource {
  reader: ProjectReader;
  project_id: ProjectId;
  /** Whether the stream stays open when the project is deleted, so that it can report the deletion before it ends. */
  outlivesProject?: boolean;
  /** Calls `wake` whenever updates may be available, until the returned function is called. */
  watch(wake: () => void): () => void;
  /**
   * Sends pending data until the stream is closed. `signal` fires when more data may be available, and when the stream closes.
   */
  feed(output: EventOutput, signal: WakeSignal): Promise<void>;
}

/** Limits, tracks and closes this process's open event streams. */
@Injectable()
export class OpenStreamsService implements OnModuleDestroy, OnModuleInit {
  /** Times in milliseconds. Tests shorten them. */
  readonly times = { pingMs: 15_000, stallMs: 10_000, lingerMs: 5_000 };
  private checks: IntervalRunner | undefined;
  private readonly open = new Map<EventOutput, StreamSource>();
  private readonly counts = new StreamCounts();
  private isStopping = false;

  constructor(
    private readonly projects: ProjectsRepository,
    private readonly revocations: RevocationsChannel,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: MetricsService,
  ) {
    metrics.gauges([{ name: 'pws_stream_readers', help: 'Open event streams of this process' }], () => ({
      pws_stream_readers: this.size,
    }));
  }

  /** Number of open streams. */
  get size(): number {
    return this.open.size;
  }

  onModuleInit(): void {
    this.checks = new IntervalRunner(
      () => this.closeWithoutAccess(),
      'streams could not be checked',
      this.logger,
      CHECK_MS,
    );
  }

  /** Closes all streams, so that the readers reconnect to another process and resume there. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const output of this.open.keys()) output.close();
    await this.checks?.stop();
  }

  /**
   * Streams until the reader disconnects, its credential expires, it loses access to the project, or this process stops.
   *
   * @throws TooManyRequests or Unavailable before the response starts
   */
  async run(source: StreamSource, response: ServerResponse): Promise<void> {
    if (this.isStopping) throw new Unavailable();
    const { caller } = source.reader;
    const leave = this.counts.enter(caller);
    const signal = new WakeSignal();
    const unwatch = source.watch(() => signal.send());
    const output = new EventOutput(response, this.times, () => signal.send());
    this.open.set(output, source);
    const release = this.closeWithCredential(caller, output);
    try {
      await source.feed(output, signal);
    } catch (error) {
      // The error is only logged, because the reader can reconnect without losing any events.
      this.logger.warn({ err: error }, 'a stream failed and was closed');
    } finally {
      release();
      this.open.delete(output);
      output.close();
      unwatch();
      leave();
    }
  }

  /** Closes the streams of all readers who have lost access to the project, using a single query. */
  private async closeWithoutAccess(): Promise<void> {
    const open = Array.from(this.open, ([output, { reader, project_id, outlivesProject = false }]) => {
      return { output, reader, project_id, outlivesProject };
    });
    if (open.length === 0) return;
    try {
      for (const { output } of await this.projects.withoutAccess(open)) output.close();
    } catch (error) {
      this.logger.warn({ err: error }, 'the access of stream readers could not be checked');
    }
  }

  /** Closes a stream when the caller's credential expires or is revoked, unless the returned function is called first. */
  private closeWithCredential({ expires_at, api_key_id }: Principal, output: EventOutput): () => void {
    const close = (): void => output.close();
    const lifetime = (expires_at?.getTime() ?? Infinity) - Date.now();
    const expiry = setTimeout(close, Math.min(MAX_TIMER_MS, Math.max(0, lifetime)));
    const unwatch = api_key_id === null ? undefined : this.revocations.watch(api_key_id, close);
    return () => {
      clearTimeout(expiry);
      unwatch?.();
    };
  }
}
