import { Injectable } from '@nestjs/common';
import { answerTurn, type Reply } from '../../packages/guide/index.js';
import { Config } from '../config/config.js';
import { Agent, type AgentContext, type AgentOutput } from './agent.js';
import type { CardFilesService } from './tools/card-files.service.js';
import { ToolboxesService } from './tools/toolboxes.service.js';
import { guideCredits } from './turn-credits.js';

/**
 * Agent that needs neither an API key nor network access. `packages/guide` chooses the steps, and the turn's tools perform
 * them.
 */
@Injectable()
export class GuideAgent extends Agent {
  readonly model = 'guide';

  constructor(
    private readonly config: Config,
    private readonly toolboxes: ToolboxesService,
    private readonly files: Pick<CardFilesService, 'statesOf'>,
  ) {
    super();
  }

  async *run(context: AgentContext): AsyncGenerator<AgentOutput> {
    const toolbox = this.toolboxes.open(context);
    const steps = answerTurn({ ...context, readFiles: (cards) => this.files.statesOf(context, cards) });
    let isInText = false;
    let reply: Reply | undefined;
    for (;;) {
      const { done, value: step } = await steps.next(reply);
      if (done === true) break;
      reply = step.kind === 'call' ? yield* toolbox.call(step.call) : undefined;
      // Starts a new paragraph, unless a tool call separates this text from the previous one.
      if (step.kind === 'say') yield { type: 'text', text: isInText ? `\n\n${step.text}` : step.text };
      isInText = step.kind === 'say';
    }
    yield { type: 'usage', credits: guideCredits(this.config) };
  }
}
