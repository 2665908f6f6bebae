import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, AgentFailure, AskerRefused } from '../../agent/agent.js';
import { CALL_SENTENCES, TURN_SENTENCES } from '../../agent/turn-sentences.js';
import { Unavailable } from '../../common/errors/errors.js';
import { faultAnswer } from '../../common/errors/faults.js';
import { type Lease, LeaseLost } from '../../common/leases/lease.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { ShuttingDown } from '../../database/queues/row-queue.js';
import { unlessAborted } from '../../common/leases/unless-aborted.js';
import { consumeUntilAborted } from './consume-until-aborted.js';
import { TurnContextsService } from './turn-contexts.service.js';
import type { Ending } from './turn-closing.service.js';
import { INTERRUPTED, TurnEndingsService } from './turn-endings.service.js';
import { TurnJournalService } from './turn-journal.service.js';
import { TurnMetricsService } from './turn-metrics.service.js';
import { type ProgressStore, TurnWriter } from './turn-writer.js';
import { MAX_ATTEMPTS, TurnQueueService } from './turn-queue.service.js';
import { idsOf, type LeasedTurn } from './turns.repository.js';

/** Runs turns: requests an answer from the agent and stores its output. */
@Injectable()
export class TurnRunnerService {
  constructor(
    private readonly agent: Agent,
    private readonly contexts: TurnContextsService,
    private readonly queue: TurnQueueService,
    private readonly journal: TurnJournalService,
    private readonly endings: TurnEndingsService,
    private readonly metrics: TurnMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Runs a turn until it ends.
   *
   * @param lease aborts if a request or another process ends the turn, and with {@link ShuttingDown} if this process stops
   * @throws LeaseLost
   */
  async run(turn: LeasedTurn, lease: Lease): Promise<void> {
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
      if (await this.queue.redispatch({ ...turn, credits }, 'owner')) throw problem.reason;
    }
    // The next attempt starts once the lease has expired, as after a crash.
    if (problem !== null && isUnavailable(problem.reason) && progress.next_seq === 0 && turn.attempts < MAX_ATTEMPTS)
      throw problem.reason;
    const ending = this.ending(turn, problem, progress.next_seq > 0);
    await this.endings.end(turn, 'owner', { ...ending, progress });
    this.metrics.countEnd(ending.outcome);
  }

  private async answer(turn: LeasedTurn, writer: TurnWriter, signal: AbortSignal): Promise<void> {
    const context = await unlessAborted(this.contexts.build(turn, signal), signal);
    await consumeUntilAborted(this.agent.run(context), signal, async (event) => await writer.accept(event));
  }

  private ending(turn: LeasedTurn, problem: { reason: unknown } | null, hasSpoken: boolean): Ending {
    if (problem === null) {
      return hasSpoken ? { outcome: 'completed' } : { outcome: 'failed', notice: TURN_SENTENCES.nothingSaid };
    }
    const { reason } = problem;
    if (reason instanceof ShuttingDown) return INTERRUPTED;
    const running = { error: CALL_SENTENCES.agent_failed, error_code: 'agent_failed' };
    if (reason instanceof AgentFailure) {
      this.logger.warn({ err: reason, ...idsOf(turn) }, 'the agent could not answer a turn');
      const leavesOthers = reason instanceof AskerRefused && !hasSpoken;
      return { outcome: 'failed', running, notice: reason.message, leavesOthers };
    }
    this.logger.error({ err: reason, ...idsOf(turn) }, 'a turn failed');
    const notice = isUnavailable(reason) ? TURN_SENTENCES.unavailable : TURN_SENTENCES.failed;
    return { outcome: 'failed', running, notice };
  }
}

const isUnavailable = (reason: unknown): boolean =>
  reason instanceof Unavailable || faultAnswer(reason) instanceof Unavailable;
