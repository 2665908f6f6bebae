import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { isValidText } from '../../../packages/json/index.js';
import type { AgentContext, AgentEvent, AgentOutput } from '../agent.js';
import type { ShownImage } from '../images/images.service.js';
import { AskerRightsService } from './asker-rights.service.js';
import { cutResult } from './data-text.js';
import { inputFailure, toFailure } from './failures.js';
import { type Tool, ToolFailure, type ToolOutcome, type Unfinished } from './tool.js';

/** Injection token for the available tools. */
export const TOOLS = Symbol('Tools');

const MAX_CALLS = 50;

/** Tool call that an agent requests. */
export interface Call {
  tool: string;
  /** Unchecked input of any type. */
  input: unknown;
}

/** Result of a call, for the agent. */
export type Reply =
  | { ok: true; result: unknown; endsTurn: boolean; image?: ShownImage }
  | { ok: false; error: string; error_code: string };

/** Tools available to a turn. Calls are made sequentially. */
export interface Toolbox {
  readonly tools: readonly Tool[];
  /** Whether the turn has used up its calls. */
  readonly isExhausted: boolean;
  /**
   * Makes a call. The agent must forward every yielded output. Failures are returned as replies and recorded as events of the
   * call.
   */
  call: (call: Call) => AsyncGenerator<AgentOutput, Reply>;
}

/** Opens the toolboxes with which agents call their tools. */
@Injectable()
export class ToolboxesService {
  constructor(
    @Inject(TOOLS) private readonly tools: readonly Tool[],
    @Inject(AskerRightsService) private readonly rights: Pick<AskerRightsService, 'assertReads' | 'assertWrites'>,
  ) {}

  /** Opens a toolbox for a turn. The toolbox counts the turn's calls. */
  open(context: AgentContext): Toolbox {
    const { tools, rights } = this;
    let calls = 0;
    return {
      tools,
      get isExhausted() {
        return calls >= MAX_CALLS;
      },
      call: (call) => {
        calls += 1;
        return make(calls > MAX_CALLS ? [] : tools, rights, call, `${context.turn_id}-${calls}`, context);
      },
    };
  }
}

async function* make(
  tools: readonly Tool[],
  rights: Pick<AskerRightsService, 'assertReads' | 'assertWrites'>,
  call: Call,
  id: string,
  context: AgentContext,
): AsyncGenerator<AgentOutput, Reply> {
  const checked = check(tools, call);
  if (checked instanceof ToolFailure) {
    yield { type: 'tool_started', id, tool: call.tool, input: asRecord(cutResult(call.input)) };
    return yield* failed(id, checked);
  }
  const { tool, input } = checked;
  yield { type: 'tool_started', id, tool: tool.name, input: asRecord(cutResult(tool.record?.(input) ?? input)) };
  const response = await resultOrFailure(rights.assertReads(context).then(() => tool.run(input, context)));
  if (response instanceof ToolFailure) return yield* failed(id, response);
  if (!('effect' in response)) {
    const result = cutResult(response.result);
    yield { type: 'tool_completed', id, result };
    return { ok: true, result, endsTurn: tool.endsTurn === true, ...(response.image && { image: response.image }) };
  }
  let outcome: ToolOutcome | Unfinished | ToolFailure | undefined;
  yield {
    type: 'tool_effect',
    id,
    apply: async (tx, project) => {
      // If the effect fails, its changes are rolled back to this savepoint, and the failure is recorded.
      outcome = await resultOrFailure(
        tx.transaction(async (inner: Tx) => {
          await rights.assertWrites(inner, context);
          return await response.effect(inner, project);
        }),
      );
      return outcomeEvents(id, outcome);
    },
  };
  if (outcome === undefined) throw new Error('The effect of the call was not applied');
  if ('unfinished' in outcome) {
    outcome = await resultOrFailure(outcome.unfinished());
    yield* outcomeEvents(id, outcome);
  }
  if (outcome instanceof ToolFailure) return toReply(outcome);
  return { ok: true, result: cutResult(outcome.result), endsTurn: tool.endsTurn === true };
}

/** Returns the tool with its parsed input, or the reason why the call is invalid. */
function check(tools: readonly Tool[], { tool: name, input }: Call): { tool: Tool; input: unknown } | ToolFailure {
  if (tools.length === 0) return new ToolFailure('limit_reached', `A turn can make at most ${MAX_CALLS} tool calls`);
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) return new ToolFailure('unknown_tool', `There is no tool ${name}`);
  if (typeof input === 'string') return new ToolFailure('invalid_input', 'The input is not a JSON object');
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return inputFailure(parsed.error);
  return isValidInput(parsed.data)
    ? { tool, input: parsed.data }
    : new ToolFailure('invalid_input', 'The input contains characters that cannot be stored');
}

function isValidInput(value: unknown): boolean {
  if (typeof value === 'string') return isValidText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => isValidText(key) && isValidInput(member));
}

function* failed(id: string, failure: ToolFailure): Generator<AgentOutput, Reply> {
  yield failureEvent(id, failure);
  return toReply(failure);
}

/** Returns the events for the end of a call and its changes. Returns no events while the call is unfinished. */
function outcomeEvents(id: string, outcome: ToolOutcome | Unfinished | ToolFailure): AgentEvent[] {
  if (outcome instanceof ToolFailure) return [failureEvent(id, outcome)];
  if ('unfinished' in outcome) return [];
  const { result, cards = [], removed_card_ids = [] } = outcome;
  const finished: AgentEvent = { type: 'tool_completed', id, result: cutResult(result) };
  if (cards.length + removed_card_ids.length === 0) return [finished];
  return [finished, { type: 'cards_changed', cards, ...(removed_card_ids.length > 0 && { removed_card_ids }) }];
}

const failureEvent = (id: string, { message, code, details }: ToolFailure): AgentEvent => ({
  type: 'tool_failed',
  id,
  error: message,
  error_code: code,
  ...(Object.keys(details).length > 0 && { error_details: details }),
});

const toReply = ({ message, code }: ToolFailure): Reply => ({ ok: false, error: message, error_code: code });

/** Returns the result of the work, or its failure if the error is one that tools report. Rethrows unexpected errors. */
async function resultOrFailure<Value>(work: Promise<Value>): Promise<Value | ToolFailure> {
  try {
    return await work;
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    return failure;
  }
}

const asRecord = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : { input };
