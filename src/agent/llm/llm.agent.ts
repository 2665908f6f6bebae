import { Inject, Injectable } from '@nestjs/common';
import { type LanguageModel, tool, type ToolSet } from 'ai';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { Agent, type AgentContext, type AgentEvent, AgentFailure, type AgentOutput } from '../agent.js';
import { TURN_SENTENCES } from '../turn-sentences.js';
import type { BudgetsService } from '../../usage/budgets.service.js';
import { assertAskerBudget } from '../asker-budget.js';
import { ToolboxesService } from '../tools/toolboxes.service.js';
import type { ImagesService } from '../images/images.service.js';
import type { CompletedCall } from './conversation.js';
import { filesByName, filesWithImages } from './message-files.js';
import { createModel, takesImagesInResults } from './model.js';
import type { ModelAnswer } from './model-answer.js';
import { ConversationRejected, type Step, takeStep } from './model-step.js';
import { systemPrompt } from './system-prompt.js';
import { TurnConversation } from './turn-conversation.js';

/** Number of steps that a model may take to finish its answer after it has used up its tool calls. */
const LAST_STEPS = 2;

/** Agent that uses a language model. The model answers in steps, and the tool calls of a step are made in order. */
@Injectable()
export class LlmAgent extends Agent {
  readonly model: string;
  /** Provider and model. Provider data is sent back only to the provider and model that it came from. */
  private readonly key: string;
  private readonly languageModel: LanguageModel;

  constructor(
    private readonly config: Config,
    private readonly toolboxes: ToolboxesService,
    private readonly images: ImagesService,
    private readonly budgets: Pick<BudgetsService, 'exhausted'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    // Throws if the settings name no model.
    this.languageModel = createModel(config, logger);
    this.model = config.AGENT_MODEL ?? '';
    this.key = `${config.AGENT_PROVIDER ?? ''} ${this.model}`;
  }

  async *run(context: AgentContext): AsyncGenerator<AgentOutput> {
    const { signal, turn_id, project_id, principal, spender } = context;
    const toolbox = this.toolboxes.open(context);
    const tools: ToolSet = Object.fromEntries(
      toolbox.tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
    );
    const { areShown } = this.images;
    const files = areShown ? await filesWithImages(context, this.images) : filesByName(context);
    const conversation = new TurnConversation(context, files, {
      model: this.key,
      imagesInResults: takesImagesInResults(this.config),
    });
    const fixed = {
      model: this.languageModel,
      system: systemPrompt(context, { areImagesShown: areShown }),
      tools,
      signal,
      timeoutSeconds: this.config.AGENT_TIMEOUT_SECONDS,
      prices: this.config,
      logger: this.logger.child({ turn_id, company_id: principal.company_id, project_id }),
    };
    let remaining = LAST_STEPS;
    for (let count = 1; remaining > 0; count += 1) {
      // The budgets were already checked when the turn's context was built.
      if (count > 1) assertAskerBudget(await this.budgets.exhausted(principal.company_id, project_id, spender));
      const answer = yield* ask(fixed, conversation);
      const { text, calls } = answer;
      const step = answer.step(this.key);
      if (calls.length > 0) yield { type: 'model_step', step };
      const completed: CompletedCall[] = [];
      for (const [index, call] of calls.entries()) {
        completed.push({ id: `call-${count}-${index + 1}`, call, reply: yield* toolbox.call(call) });
      }
      if (completed.length === 0 || completed.some(({ reply }) => reply.ok && reply.endsTurn)) return;
      conversation.add({ text, completed, step });
      if (toolbox.isExhausted) remaining -= 1;
    }
    throw new AgentFailure(TURN_SENTENCES.callsUsedUp);
  }
}

/**
 * Requests the model's answer to a conversation. If the provider rejects the conversation, retries with a shorter or plainer
 * format until no other format is left.
 */
async function* ask(
  step: Omit<Step, 'messages'>,
  conversation: TurnConversation,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  for (;;) {
    try {
      return yield* takeStep({ ...step, messages: conversation.messages });
    } catch (error) {
      if (!(error instanceof ConversationRejected) || !conversation.change(error.rejected)) throw error;
    }
  }
}
