import type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from '../../packages/conversation/index.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import type { Principal } from '../auth/principal.js';
import type { CardResponse, CompletenessResponse } from '../projects/canvas/canvas.dto.js';
import type { Project } from '../projects/project.entity.js';
import type { EffectiveConfig } from '../skills/effective-config.service.js';
import type { Spender } from '../usage/spender.js';
import type { RecordedStep } from './recorded-step.js';

/** Conversation message with the provider data that the agent must send back when it continues the conversation. */
export interface AgentMessage extends Message {
  /** Provider data for the tool calls, recorded by the agent that made the calls. */
  steps?: RecordedStep[];
}

/** Input that an agent receives for a turn. Does not change once the turn has started. */
export interface AgentContext {
  turn_id: string;
  project_id: ProjectId;
  /** Newest part of the conversation, oldest message first. */
  messages: AgentMessage[];
  workspace: WorkspaceSummary;
  /** Files attached to the messages to answer, keyed by the id or path that the message contains. Missing files are omitted. */
  attachments: ReadonlyMap<string, WorkspaceFile>;
  changes: WorkspaceChange[];
  cards: CardResponse[];
  checklist: CompletenessResponse;
  configuration: EffectiveConfig;
  /** Principal that the agent acts as. It has the asker's current rights in projects and no rights at company level. */
  principal: Principal;
  /** Spender that pays for the work that the agent starts. */
  spender: Spender;
  /** Aborts when the turn ends for any reason, including success. */
  signal: AbortSignal;
}

/**
 * Event in an agent's output. Events are applied in order.
 *
 * The start of a call is emitted before its tool runs, so that it is stored first. Each call ends exactly once. Text may be
 * split into chunks of any size. The agent must include the line breaks between paragraphs.
 */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'tool_started'; id: string; tool: string; input: Record<string, unknown> }
  | { type: 'tool_completed'; id: string; result: unknown }
  | { type: 'tool_failed'; id: string; error: string; error_code: string; error_details?: Record<string, unknown> }
  /** Current state of changed cards, and the ids of removed cards. */
  | { type: 'cards_changed'; cards: CardResponse[]; removed_card_ids?: string[] }
  /** Cost since the previous event of this type. */
  | { type: 'usage'; credits: number }
  /** Provider data for the calls that follow. Stored with the message and never shown. */
  | { type: 'model_step'; step: RecordedStep };

/**
 * Change that a running tool call makes to the project. It runs in the transaction that stores its events, so either both are
 * committed or neither is. It is not applied if another process has taken over the turn.
 */
export interface ToolEffect {
  type: 'tool_effect';
  id: string;
  /**
   * Makes the change and returns its events, including the end of the call. If the change only starts longer work, the agent
   * emits the end of the call later. The project is locked. May be called several times, and must not depend on earlier calls.
   */
  apply: (tx: Tx, project: Project) => Promise<AgentEvent[]>;
}

/** Output from an agent: events that are stored unchanged, and effects that produce events. */
export type AgentOutput = AgentEvent | ToolEffect;

/** Produces the answer to a turn's messages. */
export abstract class Agent {
  /** Name of the model in spend listings. */
  abstract readonly model: string;

  /**
   * Answers a turn's messages.
   *
   * @throws AgentFailure with a sentence for the user. Any other error is logged and shown as a general failure.
   */
  abstract run(context: AgentContext): AsyncIterable<AgentOutput>;
}

/** Failure whose message is shown to the user. */
export class AgentFailure extends Error {}

/**
 * Thrown if the asker has lost access, or if a budget that applies to the asker is used up. Other askers' turns may still
 * succeed.
 */
export class AskerRefused extends AgentFailure {}
