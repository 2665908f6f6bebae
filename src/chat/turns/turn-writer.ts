import { type AgentEvent, AgentFailure, type AgentOutput, type ToolEffect } from '../../agent/agent.js';
import { TURN_SENTENCES } from '../../agent/turn-sentences.js';
import type { Tx } from '../../database/database.service.js';
import type { Project } from '../../projects/project.entity.js';
import { type BodyEvent, EMPTY_BODY, fold, toBodyEvent } from '../messages/message-body.js';
import type { Progress } from './progress.js';

/** Minimum time between two writes. */
const PACE_MS = 100;
/** Delay before the first write. A turn that ends sooner is written only once, together with its end. */
const FIRST_MS = 5;
/**
 * Maximum number of text events that may be missing from the row of a message while it is being written. Each reader applies
 * the missing events.
 */
const MAX_UNWRITTEN = 64;
/**
 * Maximum size of the text and calls in a message, in bytes of JSON. Limits the cost of a write, because the whole message is
 * stored again after at most {@link MAX_UNWRITTEN} events.
 */
export const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;

/** Destination of the progress. Calls never overlap. */
export interface ProgressStore {
  begin(progress: Progress): Promise<void>;
  advance(progress: Progress): Promise<void>;
  /** Stores text events without updating the body. A later write updates it. */
  continue(progress: Progress): Promise<void>;
  /** Runs `work` and stores the progress it returns, in a single transaction. */
  perform(work: (tx: Tx, project: Project) => Promise<Progress>): Promise<void>;
}

/**
 * Converts an agent's events to stored progress. The first write follows after 5 ms, later writes at intervals of at least 100
 * ms. The start of a tool call is stored before {@link accept} resolves, and therefore before the tool runs.
 */
export class TurnWriter {
  private progress: Progress & { bytes: number };
  private stored = { next_seq: 0, credits: 0 };
  private storedAt = 0;
  /** Number of events that are missing from the stored body. */
  private unwritten = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  /**
   * @param credits cost of earlier attempts of the turn
   * @param onFailure receives the error of a failed write if no caller was waiting for it
   */
  constructor(
    private readonly turn_id: string,
    credits: number,
    private readonly journal: ProgressStore,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.progress = { body: EMPTY_BODY, next_seq: 0, unstored: [], credits, bytes: 0 };
  }

  /**
   * Accepts the agent's next event. Resolves when the writer is ready for the following event.
   *
   * @throws AgentFailure if the message would become too long. The event then has no effect.
   */
  async accept(event: AgentOutput): Promise<void> {
    if (event.type === 'tool_effect') {
      await this.perform(event);
      return;
    }
    const before = this.progress;
    this.progress = this.after(before, event);
    // Credits can be stored only once a message exists.
    if (this.progress !== before && this.progress.next_seq > 0) await this.store(event.type === 'tool_started');
  }

  /** Stops writing and returns the progress. The latest progress may not be stored. */
  async close(): Promise<Progress> {
    clearTimeout(this.timer);
    // If a write fails, the progress is kept and stored at the end of the turn.
    await this.writing.catch(() => undefined);
    return this.progress;
  }

  private after(progress: TurnWriter['progress'], event: AgentEvent): TurnWriter['progress'] {
    const { body, next_seq, unstored, credits } = progress;
    if (event.type === 'usage') return { ...progress, credits: credits + event.credits };
    if (event.type === 'model_step') {
      // The provider data is written together with the calls that follow.
      const model_steps = [...(body.model_steps ?? []), event.step];
      return { ...progress, body: { ...body, model_steps }, bytes: longer(progress.bytes, bytesOf(event.step)) };
    }
    const step = toBodyEvent(body, event, this.turn_id, new Date());
    if (step === null) return progress;
    const bytes = longer(progress.bytes, sizeOf(step));
    return {
      body: fold(body, step),
      // The start of the turn is event 0 and is stored with the message.
      next_seq: Math.max(1, next_seq) + 1,
      unstored: [...unstored, step],
      credits,
      bytes,
    };
  }

  /** Applies an effect and stores its events and all earlier events, in a single transaction. */
  private perform({ apply }: ToolEffect): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(async () => {
      const before = this.progress;
      let progress = before;
      await this.journal.perform(async (tx, project) => {
        const events = await apply(tx, project);
        progress = events.reduce((reached, event) => this.after(reached, event), before);
        return progress;
      });
      this.progress = { ...progress, unstored: [] };
      this.stored = { next_seq: progress.next_seq, credits: progress.credits };
      this.unwritten = 0;
      this.storedAt = performance.now();
    });
    return this.writing;
  }

  private async store(atOnce: boolean): Promise<void> {
    const pace = this.stored.next_seq === 0 ? FIRST_MS : this.storedAt + PACE_MS - performance.now();
    const wait = atOnce ? 0 : pace;
    if (wait <= 0) await this.flush();
    else this.timer ??= setTimeout(() => void this.flush().catch(this.onFailure), wait);
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(async () => {
      const { progress } = this;
      const { next_seq, credits } = progress;
      if (this.stored.next_seq === next_seq && this.stored.credits === credits) return;
      await this.write(progress);
      this.progress = { ...this.progress, unstored: this.progress.unstored.slice(progress.unstored.length) };
      this.stored = { next_seq, credits };
      this.storedAt = performance.now();
    });
    return this.writing;
  }

  private async write(progress: Progress): Promise<void> {
    const unwritten = this.unwritten + progress.unstored.length;
    const isText = progress.unstored.length > 0 && progress.unstored.every(({ type }) => type === 'text.delta');
    if (this.stored.next_seq > 0 && isText && unwritten <= MAX_UNWRITTEN) {
      await this.journal.continue(progress);
      this.unwritten = unwritten;
      return;
    }
    await (this.stored.next_seq === 0 ? this.journal.begin(progress) : this.journal.advance(progress));
    this.unwritten = 0;
  }
}

/** Returns the size of a message after an addition. @throws AgentFailure if the message becomes too long */
function longer(bytes: number, more: number): number {
  if (bytes + more <= MAX_MESSAGE_BYTES) return bytes + more;
  throw new AgentFailure(TURN_SENTENCES.messageTooLong);
}

/** Returns the number of JSON bytes that an event adds to a message. The end of a call repeats the data of its start. */
function sizeOf(step: BodyEvent): number {
  switch (step.type) {
    case 'text.delta':
      return bytesOf(step.text);
    case 'tool.started':
      return bytesOf(step.call);
    case 'tool.finished': {
      const { result, error, error_details } = step.call;
      return bytesOf([result, error, error_details]);
    }
    case 'cards.changed':
      return 0;
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
