import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, AgentFailure, AskerRefused } from '../../agent/agent.js';
import { Lease, LeaseLost } from '../../platform/leases/lease.js';
import { LOGGER } from '../../platform/logging/logging.module.js';
import { unlessAborted } from '../../platform/leases/unless-aborted.js';
import { consumeUntilAborted } from './consume-until-aborted.js';
import { TurnContexts } from './turn-context.service.js';
import { type Ending, INTERRUPTED, TurnEndings } from './turn-endings.service.js';
import { TurnJournal } from './turn-journal.service.js';
import { TurnMetrics } from './turn-metrics.service.js';
import { type ProgressStore, TurnWriter } from './turn-writer.js';
import { TurnQueue } from './turn-queue.service.js';
import type { LeasedTurn } from './turns.repository.js';

/** Time that turns get to finish when the process is told to stop. */
const GRACE_MS = 20_000;

/** The process stops and the turn's grace period is over. */
class ShuttingDown extends Error {}

/** Runs turns in this process. */
@Injectable()
export class TurnRunner implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly owner = randomUUID();
  private readonly running = new Map<string, Lease>();
  private isStopping = false;
  private isGraceOver = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly agent: Agent,
    private readonly contexts: TurnContexts,
    private readonly queue: TurnQueue,
    private readonly journal: TurnJournal,
    private readonly endings: TurnEndings,
    private readonly metrics: TurnMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    metrics.heldHere(() => this.running.size);
  }

  onModuleInit(): void {
    this.queue.handle((turn_id) => this.run(turn_id));
  }

  /** Claims no further turns; the running ones finish within the grace period or are given up. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.grace = setTimeout(() => {
      this.isGraceOver = true;
      for (const lease of this.running.values()) lease.abort(new ShuttingDown());
    }, GRACE_MS);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.grace);
  }

  /** Gives up a turn that was ended elsewhere, if it runs here. */
  abandon(turn_id: string): void {
    this.running.get(turn_id)?.abort(new LeaseLost());
  }

  /** Runs a turn to its end. If it cannot be claimed, another process has it or it is over. */
  async run(turn_id: string): Promise<void> {
    if (this.isStopping) {
      await this.queue.putBack(turn_id);
      return;
    }
    const turn = await this.queue.claim(turn_id, this.owner, this.agent.model);
    if (turn === null) return;
    const lease = new Lease(async () => await this.queue.renew(turn), this.logger);
    this.running.set(turn_id, lease);
    if (this.isGraceOver) lease.abort(new ShuttingDown());
    try {
      await this.perform(turn, lease);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.logger.info({ turn_id }, 'a turn was stopped or went to another process');
    } finally {
      this.running.delete(turn_id);
      lease.stop();
    }
  }

  private async perform(turn: LeasedTurn, lease: Lease): Promise<void> {
    const { signal } = lease;
    const store: ProgressStore = {
      begin: async (progress) => await this.journal.begin(turn, progress),
      advance: async (progress) => await this.journal.advance(turn, progress),
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
    const ending = this.ending(turn, problem, progress.next_seq > 0);
    await this.endings.end(turn, 'owner', { ...ending, progress });
    this.metrics.ended(ending.outcome);
  }

  private async answer(turn: LeasedTurn, writer: TurnWriter, signal: AbortSignal): Promise<void> {
    const context = await unlessAborted(this.contexts.build(turn, signal), signal);
    await consumeUntilAborted(this.agent.run(context), signal, async (event) => await writer.accept(event));
  }

  private ending({ id: turn_id }: LeasedTurn, problem: { reason: unknown } | null, hasSpoken: boolean): Ending {
    if (problem === null) {
      return hasSpoken ? { outcome: 'completed' } : { outcome: 'failed', notice: 'The agent had nothing to say.' };
    }
    const { reason } = problem;
    if (reason instanceof ShuttingDown) return INTERRUPTED;
    const running = { error: 'The agent failed before the call ended', error_code: 'agent_failed' };
    if (reason instanceof AgentFailure) {
      this.logger.warn({ err: reason, turn_id }, 'the agent could not answer a turn');
      const leavesOthers = reason instanceof AskerRefused && !hasSpoken;
      return { outcome: 'failed', running, notice: reason.message, leavesOthers };
    }
    this.logger.error({ err: reason, turn_id }, 'a turn failed');
    return { outcome: 'failed', running, notice: 'The agent failed before it had finished.' };
  }
}
