import type { ModelMessage } from 'ai';
import type { AgentContext } from '../agent.js';
import type { RecordedStep } from '../recorded-step.js';
import {
  askedMessages,
  MAX_EARLIER_BYTES,
  earlierMessages,
  exchange,
  type HistoryForm,
  type CompletedCall,
  WHOLE_HISTORY,
} from './conversation.js';
import type { MessageFiles } from './message-files.js';
import { wireMessages } from './wire-messages.js';

/** Maximum number of times that the earlier messages are halved before they are omitted. */
const MAX_HALVES = 4;

/** Model's answer with the results of its calls. */
export interface CompletedStep {
  text: string;
  completed: CompletedCall[];
  step: RecordedStep;
}

/**
 * Messages to send in a turn's requests. After the provider rejects them, they stay shorter or plainer for the rest of the
 * turn.
 */
export class TurnConversation {
  private readonly steps: CompletedStep[] = [];
  private form: HistoryForm;
  // Built only once, because new random delimiters in each request would defeat the provider's prompt cache.
  private earlier: ModelMessage[];
  private readonly pending: ModelMessage[];
  private exchanges: ModelMessage[] = [];
  private halves = 0;
  private areResultsCut = false;

  constructor(
    private readonly context: AgentContext,
    private readonly files: MessageFiles,
    private readonly provider: { model: string; imagesInResults: boolean },
  ) {
    this.form = { ...WHOLE_HISTORY, model: provider.model };
    this.earlier = earlierMessages(context, files, this.form);
    this.pending = askedMessages(context, files);
  }

  get messages(): ModelMessage[] {
    return wireMessages([...this.earlier, ...this.pending, ...this.exchanges]);
  }

  add(step: CompletedStep): void {
    this.steps.push(step);
    this.exchanges.push(...this.exchangeOf(step));
  }

  /** Changes the format after a rejection. Returns false if all formats have been tried. */
  change(rejected: 'length' | 'form'): boolean {
    return rejected === 'length' ? this.shorten() : this.simplify();
  }

  private shorten(): boolean {
    if (this.earlier.length > 0) {
      this.halves += 1;
      const half = Math.floor(JSON.stringify(this.earlier).length / 2);
      this.rebuild({ characters: this.halves > MAX_HALVES ? 0 : half });
      return true;
    }
    if (this.areResultsCut || this.steps.length === 0) return false;
    this.areResultsCut = true;
    this.rebuild({});
    return true;
  }

  /**
   * On the first rejection, converts earlier calls to text and omits provider data. On the next, omits the earlier messages.
   */
  private simplify(): boolean {
    if (!this.form.isPlain && this.earlier.length + this.steps.length > 0) this.rebuild({ isPlain: true });
    else if (this.earlier.length > 0) this.rebuild({ characters: 0 });
    else return false;
    return true;
  }

  private rebuild(change: Partial<HistoryForm>): void {
    this.form = { ...this.form, ...change };
    this.earlier = earlierMessages(this.context, this.files, this.form);
    this.exchanges = this.steps.flatMap((step) => this.exchangeOf(step));
  }

  private exchangeOf({ text, completed, step }: CompletedStep): ModelMessage[] {
    return exchange(text, completed, {
      imagesInResults: this.provider.imagesInResults,
      ...(!this.form.isPlain && { step }),
      ...(this.areResultsCut && { maxBytes: MAX_EARLIER_BYTES }),
    });
  }
}
