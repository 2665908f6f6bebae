import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, AgentFailure, AskerRefused } from '../../agent/agent.js';
import { Config } from '../../config/config.js';
import { Unavailable } from '../../common/errors/errors.js';
import { faultAnswer } from '../../common/errors/faults.js';
import { IntervalRunner } from '../../common/leases/interval-runner.js';
import { Lease, LeaseLost } from '../../common/leases/lease.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { unlessAborted } from '../../common/leases/unless-aborted.js';
import { consumeUntilAborted } from './consume-until-aborted.js';
import { TurnContextsService } from './turn-contexts.service.js';
import { TurnDispatchedChannel } from './turn-dispatched.channel.js';
import { type Ending, INTERRUPTED, TurnEndingsService } from './turn-endings.service.js';
import { TurnJournalService } from './turn-journal.service.js';
import { TurnMetricsService } from './turn-metrics.service.js';
import { type ProgressStore, TurnWriter } from './turn-writer.js';
import { MAX_ATTEMPTS, TurnQueueService } from './turn-queue.service.js';
import { idsOf, type LeasedTurn } from './turns.repository.js';

/** Time that turns get to finish when the process is told to stop. */
const GRACE_MS = 20_000;
/** Time between two looks for turns when nobody tells of one. */
const LOOK_MS = 2_000;
/** Time until the next look when turns wait that somebody else works on. */
const AGAIN_MS = 20;

/** Notice of a turn that ended because the database or the file store was away for all of its attempts. */
const UNAVAILABLE = 'The file store or the database was out of reach. Send the message again later.';

/** The process stops and the turn's grace period is over. */
class ShuttingDown extends Error {}

/** Runs turns in this process: claims those that wait, as long as there is room for them. */
@Injectable()
export class TurnRunnerService
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly owner = randomUUID();
  /** A turn is there twice when it was taken from this process and came back to it. */
  private readonly running = new Set<{ turn_id: string; company_id: string; lease: Lease; ended: Promise<void> }>();
  private looks: IntervalRunner | undefined;
  /** Whether turns waited at the last look that this process could not take. */
  private isBehind = false;
  private lastLook: Promise<void> | undefined;
  private isGraceOver = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly agent: Agent,
    private readonly contexts: TurnContextsService,
    private readonly queue: TurnQueueService,
    private readonly dispatched: TurnDispatchedChannel,
    private readonly journal: TurnJournalService,
    private readonly endings: TurnEndingsService,
    private readonly metrics: TurnMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    metrics.heldHere(() => this.running.size);
  }

  onModuleInit(): void {
    if (this.config.ROLE !== 'api') this.dispatched.listen(() => this.looks?.wake());
  }

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api')
      this.looks = new IntervalRunner(() => this.look(), 'turns could not be looked for', this.logger, LOOK_MS);
  }

  /** Claims no further turns; the running ones finish within the grace period or are given up. */
  onModuleDestroy(): void {
    this.lastLook = this.looks?.stop();
    this.grace = setTimeout(() => {
      this.isGraceOver = true;
      for (const { lease } of this.running) lease.abort(new ShuttingDown());
    }, GRACE_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.lastLook;
    await Promise.all([...this.running].map(async ({ ended }) => await ended));
    clearTimeout(this.grace);
  }

  /** Gives up a turn that was ended elsewhere, if it runs here. */
  abandon(turn_id: string): void {
    for (const running of this.running) if (running.turn_id === turn_id) running.lease.abort(new LeaseLost());
  }

  private async look(): Promise<void> {
    const places = this.config.TURNS_CONCURRENCY;
    const room = places - this.running.size;
    this.isBehind = true;
    if (room === 0) return;
    const running = new Map<string, number>();
    for (const { company_id } of this.running) running.set(company_id, (running.get(company_id) ?? 0) + 1);
    const { turns, moreWait, someLocked } = await this.queue.claim(this.owner, this.agent.model, {
      turns: room,
      // Slow turns of one company leave places to others.
      ofCompany: Math.ceil(places / 2),
      running,
    });
    this.isBehind = moreWait;
    for (const turn of turns) this.run(turn);
    if (someLocked) setTimeout(() => this.looks?.wake(), AGAIN_MS);
  }

  /** Runs a turn to its end. */
  private run(turn: LeasedTurn): void {
    const lease = new Lease(async () => await this.queue.renew(turn), this.logger);
    const ended = this.perform(turn, lease)
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) this.logger.info(idsOf(turn), 'a turn was stopped or went to another process');
        else this.logger.error({ err: error, ...idsOf(turn) }, 'a turn is left to its lease');
      })
      .finally(() => {
        this.running.delete(running);
        lease.stop();
        if (this.isBehind) this.looks?.wake();
      });
    const running = { turn_id: turn.id, company_id: turn.company_id, lease, ended };
    this.running.add(running);
    if (this.isGraceOver) lease.abort(new ShuttingDown());
  }

  private async perform(turn: LeasedTurn, lease: Lease): Promise<void> {
    const { signal } = lease;
    const store: ProgressStore = {
      begin: async (progress) => await this.journal.begin(turn, progress),
      advance: async (progress) => await this.journal.advance(turn, progress),
      continue: async (progress) => await this.journal.continue(turn, progress),
      perform: async (work) => await this.journal.perform(turn, work),
    };
    const writer = new TurnWriter(turn.id, turn.credits, store, (error) => lease.abort(error));
    const problem = await this.answer(turn, writer, signal).then(
      () => null,
      (error: unknown) => ({ reason: signal.aborted ? (signal.reason as unknown) : error }),
    );
    const progress = await writer.close();
    if (problem?.reason instanceof LeaseLost) throw problem.reason;
    if (problem?.reason instanceof ShuttingDown) {
      const { credits } = progress;
      if (await this.queue.redispatch({ ...turn, credits }, 'owner')) return;
    }
    // Another attempt begins when the lease has run out, as after a crash.
    if (problem !== null && isUnavailable(problem.reason) && progress.next_seq === 0 && turn.attempts < MAX_ATTEMPTS)
      throw problem.reason;
    const ending = this.ending(turn, problem, progress.next_seq > 0);
    await this.endings.end(turn, 'owner', { ...ending, progress });
    this.metrics.ended(ending.outcome);
  }

  private async answer(turn: LeasedTurn, writer: TurnWriter, signal: AbortSignal): Promise<void> {
    const context = await unlessAborted(this.contexts.build(turn, signal), signal);
    await consumeUntilAborted(this.agent.run(context), signal, async (event) => await writer.accept(event));
  }

  private ending(turn: LeasedTurn, problem: { reason: unknown } | null, hasSpoken: boolean): Ending {
    if (problem === null) {
      return hasSpoken ? { outcome: 'completed' } : { outcome: 'failed', notice: 'The agent had nothing to say.' };
    }
    const { reason } = problem;
    if (reason instanceof ShuttingDown) return INTERRUPTED;
    const running = { error: 'The agent failed before the call ended', error_code: 'agent_failed' };
    if (reason instanceof AgentFailure) {
      this.logger.warn({ err: reason, ...idsOf(turn) }, 'the agent could not answer a turn');
      const leavesOthers = reason instanceof AskerRefused && !hasSpoken;
      return { outcome: 'failed', running, notice: reason.message, leavesOthers };
    }
    this.logger.error({ err: reason, ...idsOf(turn) }, 'a turn failed');
    const notice = isUnavailable(reason) ? UNAVAILABLE : 'The agent failed before it had finished.';
    return { outcome: 'failed', running, notice };
  }
}

const isUnavailable = (reason: unknown): boolean =>
  reason instanceof Unavailable || faultAnswer(reason) instanceof Unavailable;
