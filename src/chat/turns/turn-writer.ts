import type { AgentEvent } from '../../agent/agent.js';
import { EMPTY_BODY, fold, toBodyEvent } from '../messages/message-body.js';
import type { Progress } from './turn-journal.service.js';

/** Between two writes lies at least so much time. */
const PACE_MS = 100;

/** Where progress goes; called once at a time. */
export interface ProgressStore {
  begin(progress: Progress): Promise<void>;
  advance(progress: Progress): Promise<void>;
}

/**
 * Turns an agent's events into stored progress: the first at once, then in one write per 100 ms, except that the start
 * of a tool is stored before {@link accept} resolves, so before the tool runs.
 */
export class TurnWriter {
  private progress: Progress;
  private storedSeq = 0;
  private storedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  /**
   * @param credits what earlier attempts of the turn have cost.
   * @param onFailure hears of a write that failed while nobody was waiting for it.
   */
  constructor(
    private readonly turn_id: string,
    credits: number,
    private readonly store: ProgressStore,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.progress = { body: EMPTY_BODY, next_seq: 0, credits };
  }

  /** Takes the agent's next event; resolves when the following one may come. */
  async accept(event: AgentEvent): Promise<void> {
    const { body, next_seq, credits } = this.progress;
    if (event.type === 'usage') {
      this.progress = { body, next_seq, credits: credits + event.credits };
      return;
    }
    const step = toBodyEvent(body, event, this.turn_id, new Date());
    if (step === null) return;
    // The turn's start is its event 0 and is stored with the message.
    this.progress = { body: fold(body, step), next_seq: Math.max(1, next_seq) + 1, credits };
    const wait = step.type === 'tool.started' ? 0 : this.storedAt + PACE_MS - performance.now();
    if (wait <= 0) await this.flush();
    else this.timer ??= setTimeout(() => void this.flush().catch(this.onFailure), wait);
  }

  /** Stops writing and answers the progress, of which the newest part may not be stored. */
  async close(): Promise<Progress> {
    clearTimeout(this.timer);
    // A failed write takes nothing from the progress: whoever ends the turn stores all of it.
    await this.writing.catch(() => undefined);
    return this.progress;
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(async () => {
      const { progress } = this;
      if (this.storedSeq === progress.next_seq) return;
      await (this.storedSeq === 0 ? this.store.begin(progress) : this.store.advance(progress));
      this.storedSeq = progress.next_seq;
      this.storedAt = performance.now();
    });
    return this.writing;
  }
}
