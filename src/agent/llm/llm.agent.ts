import { Inject, Injectable } from '@nestjs/common';
import { type LanguageModel, tool, type ToolSet } from 'ai';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../platform/logging/logging.module.js';
import { Agent, type AgentContext, AgentFailure, type AgentOutput } from '../agent.js';
import type { Budgets } from '../../usage/budgets.service.js';
import { assertMayGoOn } from '../budget-left.js';
import { Toolboxes } from '../tools/toolbox.service.js';
import type { Images } from '../images/images.service.js';
import { conversationOf, exchange, type MadeCall } from './conversation.js';
import { filesByName, filesWithImages } from './message-files.js';
import { createModel, takesImagesInResults } from './model.js';
import { takeStep } from './model-step.js';
import { systemPrompt } from './system-prompt.js';

/** Steps that a model gets after its calls are used up, to come to an end. */
const LAST_STEPS = 2;

/** The agent behind which is a language model: it answers step by step, and the calls of a step are made in order. */
@Injectable()
export class LlmAgent extends Agent {
  readonly model: string;
  private readonly languageModel: LanguageModel;

  constructor(
    private readonly config: Config,
    private readonly toolboxes: Toolboxes,
    private readonly images: Images,
    private readonly budgets: Pick<Budgets, 'exhausted'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    // Which throws without a name.
    this.languageModel = createModel(config, logger);
    this.model = config.AGENT_MODEL ?? '';
  }

  async *run(context: AgentContext): AsyncGenerator<AgentOutput> {
    const { signal, turn_id, project_id, principal, spender } = context;
    const toolbox = this.toolboxes.open(context);
    const tools: ToolSet = Object.fromEntries(
      toolbox.tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
    );
    const { areShown } = this.images;
    const files = areShown ? await filesWithImages(context, this.images) : filesByName(context);
    const messages = conversationOf(context, files);
    const imagesInResults = takesImagesInResults(this.config);
    const fixed = {
      model: this.languageModel,
      system: systemPrompt(context, { areImagesShown: areShown }),
      tools,
      signal,
      timeoutSeconds: this.config.AGENT_TIMEOUT_SECONDS,
      prices: this.config,
      logger: this.logger.child({ turn_id }),
    };
    let left = LAST_STEPS;
    for (let step = 1; left > 0; step += 1) {
      // Before the first one the turn has looked.
      if (step > 1) assertMayGoOn(await this.budgets.exhausted(principal.company_id, project_id, spender));
      const { text, calls } = yield* takeStep({ ...fixed, messages });
      const made: MadeCall[] = [];
      for (const [index, call] of calls.entries()) {
        made.push({ id: `call-${step}-${index + 1}`, call, reply: yield* toolbox.call(call) });
      }
      if (made.length === 0 || made.some(({ reply }) => reply.ok && reply.endsTurn)) return;
      messages.push(...exchange(text, made, { imagesInResults }));
      if (toolbox.isExhausted) left -= 1;
    }
    throw new AgentFailure('The agent used up its tool calls without coming to an end.');
  }
}
