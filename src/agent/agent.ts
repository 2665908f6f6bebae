import type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from '../../packages/conversation/index.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import type { Principal } from '../auth/principal.js';
import type { CardResponse, CompletenessResponse } from '../projects/canvas/canvas.dto.js';
import type { Project } from '../projects/project.entity.js';
import type { EffectiveConfig } from '../skills/effective-config.service.js';
import type { Spender } from '../usage/spender.js';
import type { RecordedStep } from './recorded-step.js';

/** Message of the conversation, with the data that the agent needs to continue from it. */
export interface AgentMessage extends Message {
  /** Provider data for the calls, recorded by the agent that made them. */
  steps?: RecordedStep[];
}

/** Input of an agent for a turn. Does not change after the turn has started. */
export interface AgentContext {
  turn_id: string;
  project_id: ProjectId;
  /** Newest part of the conversation, oldest message first. */
  messages: AgentMessage[];
  workspace: WorkspaceSummary;
  /** Files of the messages to answer, by the id or path in the message. Missing files are absent. */
  attachments: ReadonlyMap<string, WorkspaceFile>;
  changes: WorkspaceChange[];
  cards: CardResponse[];
  checklist: CompletenessResponse;
  configuration: EffectiveConfig;
  /** Principal of the agent. In projects it has the current rights of the turn's asker, and it has no rights at company level. */
  principal: Principal;
  /** Spender that pays for the work that the agent starts. */
  spender: Spender;
  /** Aborts when the turn ends, in any way. */
  signal: AbortSignal;
}

/**
 * Output of an agent, in order.
 *
 * Each call starts before its tool runs, so that the start is stored first, and ends exactly once. Text may be split into
 * chunks of any size. The agent itself adds the line breaks between paragraphs.
 */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'tool_started'; id: string; tool: string; input: Record<string, unknown> }
  | { type: 'tool_completed'; id: string; result: unknown }
  | { type: 'tool_failed'; id: string; error: string; error_code: string; error_details?: Record<string, unknown> }
  /** Current state of changed cards, and the ids of removed cards. */
  | { type: 'cards_changed'; cards: CardResponse[]; removed_card_ids?: string[] }
  /** Cost since the last event of this type. */
  | { type: 'usage'; credits: number }
  /** Provider data for the calls that follow. Stored with the message and never shown. */
  | { type: 'model_step'; step: RecordedStep };

/**
 * Change that a running call makes to the project. It runs in the same transaction that stores its events, so both are committed
 * or neither is. It has no effect if another process has taken the turn.
 */
export interface ToolEffect {
  type: 'tool_effect';
  id: string;
  /**
   * Does the work and returns its events, including the end of the call. If the work only starts here, the end of the call
   * follows as a separate event. The project is locked. May run several times, and every run must behave like the first.
   */
  apply: (tx: Tx, project: Project) => Promise<AgentEvent[]>;
}

/** Output of an agent: events that are stored unchanged, and effects that produce events. */
export type AgentOutput = AgentEvent | ToolEffect;

/** Answers turns. */
export abstract class Agent {
  /** Name of the model in spend listings. */
  abstract readonly model: string;

  /**
   * Answers the messages of a turn.
   *
   * @throws AgentFailure with a sentence for the user. Any other error is logged and shown as a general failure.
   */
  abstract run(context: AgentContext): AsyncIterable<AgentOutput>;
}

/** Failure whose message is shown to the user. */
export class AgentFailure extends Error {}

/** Thrown if the asker may no longer do this. Other askers may still be allowed to. */
export class AskerRefused extends AgentFailure {}
