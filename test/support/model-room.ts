import { pino } from 'pino';
import { z } from 'zod';
import { closingEvents, EMPTY_BODY, fold, toBodyEvent } from '../../src/chat/messages/message-body.js';
import { type AgentContext, type AgentEvent, AgentFailure, type AgentMessage } from '../../src/agent/agent.js';
import type { ImagesService } from '../../src/agent/images/images.service.js';
import { LlmAgent } from '../../src/agent/llm/llm.agent.js';
import { askUserQuestion } from '../../src/agent/tools/question-tools.js';
import { ToolboxesService } from '../../src/agent/tools/toolboxes.service.js';
import type { Tool } from '../../src/agent/tools/tool.js';
import { Config } from '../../src/config/config.js';

const NO_LIMITS = { assertReads: () => Promise.resolve(), assertWrites: () => Promise.resolve() };

const listFiles: Tool<{ path?: string | undefined }> = {
  name: 'list_files',
  description: 'Lists files.',
  input: z.object({ path: z.string().optional() }),
  run: ({ path = '' }) => Promise.resolve({ result: { path, files: ['demand.csv'] } }),
};

/** Result of a turn. */
export interface ModelTurn {
  text: string;
  /** Inputs of the calls. */
  inputs: unknown[];
  /** System message at the end of the turn. */
  notice: string | null;
  credits: number;
}

/** Conversation with a provider's language model. It is kept in memory in the same format as in the service. */
export class ModelRoom {
  readonly messages: AgentMessage[] = [];
  private readonly agent: LlmAgent;
  private count = 0;

  constructor(settings: Partial<Config>) {
    const config = Object.assign(new Config(), {
      AGENT_MODEL: 'fake',
      AGENT_API_KEY: 'sk-fake',
      PRICE_INPUT_TOKENS: 1000,
      PRICE_OUTPUT_TOKENS: 1000,
      ...settings,
    });
    const toolboxes = new ToolboxesService([listFiles, askUserQuestion] as Tool[], NO_LIMITS);
    const budgets = { exhausted: () => Promise.resolve(null) };
    this.agent = new LlmAgent(
      config,
      toolboxes,
      { areShown: false } as ImagesService,
      budgets,
      pino({ enabled: false }),
    );
  }

  /** Posts a message and waits for the model's turn. `stopAfter` is the number of events after which the turn is stopped. */
  async say(
    content: string,
    { stopAfter = Infinity, ...more }: Partial<AgentMessage> & { stopAfter?: number } = {},
  ): Promise<ModelTurn> {
    this.count += 1;
    const turn_id = `turn-${this.count}`;
    this.messages.push({ ...MESSAGE, content, turn_id, to_answer: true, ...more });
    const controller = new AbortController();
    const context = { ...CONTEXT, turn_id, messages: [...this.messages], signal: controller.signal };
    let body = EMPTY_BODY;
    const steps: AgentMessage['steps'] = [];
    const turn: ModelTurn = { text: '', inputs: [], notice: null, credits: 0 };
    let events = 0;
    try {
      for await (const output of this.agent.run(context as unknown as AgentContext)) {
        const event = output as AgentEvent;
        if (event.type === 'model_step') steps.push(event.step);
        if (event.type === 'usage') turn.credits += event.credits;
        const step = toBodyEvent(body, event, turn_id, new Date());
        if (step !== null) body = fold(body, step);
        if ((events += 1) > stopAfter) break;
      }
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error;
      turn.notice = error.message;
    }
    controller.abort(new Error('The turn is over'));
    for (const event of closingEvents(body, new Date(), { error: 'Stopped', error_code: 'stopped' }))
      body = fold(body, event);
    turn.text = body.content;
    turn.inputs = body.tool_calls.map(({ input }) => input);
    this.messages.splice(0, Infinity, ...this.messages.map((message) => ({ ...message, to_answer: false })));
    const { content: text, tool_calls, content_segments } = body;
    const parts = content_segments.map((segment) => (segment.type === 'text' ? segment.content : segment));
    const answer = { ...MESSAGE, role: 'assistant', content: text, tool_calls, turn_id, parts } as const;
    // Copied as JSON, because the service stores JSON.
    if (parts.length > 0) this.messages.push(JSON.parse(JSON.stringify({ ...answer, steps })) as AgentMessage);
    if (turn.notice !== null) this.messages.push({ ...MESSAGE, role: 'system', content: turn.notice, turn_id });
    return turn;
  }
}

const MESSAGE: AgentMessage = {
  role: 'user',
  content: '',
  user_name: null,
  tool_calls: [],
  answer: null,
  file_ids: [],
  context: [],
  to_answer: false,
};

const CONTEXT = {
  project_id: 'project',
  principal: { company_id: 'company' },
  spender: {},
  attachments: new Map(),
  configuration: { skills: [], instructions: null },
  workspace: { directories: [], files: [], total: 0 },
  changes: [],
  cards: [],
  checklist: {},
};
