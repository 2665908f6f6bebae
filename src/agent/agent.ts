import type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from '../../packages/conversation/index.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Tx } from '../database/database.service.js';
import type { Principal } from '../auth/principal.js';
import type { CardResponse, CompletenessResponse } from '../projects/canvas/canvas.dto.js';
import type { Project } from '../projects/project.entity.js';
import type { EffectiveConfig } from '../skills/effective-config.service.js';
import type { Spender } from '../usage/spender.js';
import type { RecordedStep } from './recorded-step.js';

/** One message of the conversation, with what the agent needs to go on from it. */
export interface AgentMessage extends Message {
  /** Provider data of the calls, from the agent that made them. */
  steps?: RecordedStep[];
}

/** Everything that a turn gives the agent; fixed when the turn starts. */
export interface AgentContext {
  turn_id: string;
  project_id: ProjectId;
  /** The newest part of the conversation, oldest message first. */
  messages: AgentMessage[];
  workspace: WorkspaceSummary;
  /** The files of the messages to answer, by the id or path that names them; those that do not exist are missing. */
  attachments: ReadonlyMap<string, WorkspaceFile>;
  changes: WorkspaceChange[];
  cards: CardResponse[];
  checklist: CompletenessResponse;
  configuration: EffectiveConfig;
  /** What the agent may do: in projects what the asker of the turn may at that moment, and nothing at company level. */
  principal: Principal;
  /** Who is charged for what it starts. */
  spender: Spender;
  /** Aborted when the turn is over, whatever the agent does. */
  signal: AbortSignal;
}

/**
 * What an agent says and does, in order.
 *
 * A call is started before its tool runs, so that its start is stored first, and finished once. Text may come in pieces
 * of any size; a new paragraph is the agent's own line break.
 */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'tool_started'; id: string; tool: string; input: Record<string, unknown> }
  | { type: 'tool_completed'; id: string; result: unknown }
  | { type: 'tool_failed'; id: string; error: string; error_code: string; error_details?: Record<string, unknown> }
  /** Cards as they are now, and the ids of those that are gone. */
  | { type: 'cards_changed'; cards: CardResponse[]; removed_card_ids?: string[] }
  /** Costs since the last event of this kind. */
  | { type: 'usage'; credits: number }
  /** Provider data of the calls that follow. Stored with the message and never shown. */
  | { type: 'model_step'; step: RecordedStep };

/**
 * What a running call does to the project: a part of the transaction that also stores the events which tell of it, so
 * that both are there once or neither is. It belongs to the turn: when the turn went to another process nothing happens.
 */
export interface ToolEffect {
  type: 'tool_effect';
  /** Of the call. */
  id: string;
  /**
   * Does the work and answers what came of it: the end of the call among it, unless the work only begins here and its
   * end comes as an event of its own. The project is locked. May run several times, each time as if for the first.
   */
  apply: (tx: Tx, project: Project) => Promise<AgentEvent[]>;
}

/** What comes out of an agent: events that are stored as they are, and effects that make some. */
export type AgentOutput = AgentEvent | ToolEffect;

/** Who answers a turn. */
export abstract class Agent {
  /** Name of the model, under which spend is listed. */
  abstract readonly model: string;

  /**
   * Answers the messages of a turn.
   *
   * @throws AgentFailure with a sentence for the user; any other error is logged and shown as a general failure.
   */
  abstract run(context: AgentContext): AsyncIterable<AgentOutput>;
}

/** A failure that the user is told of in the message's words. */
export class AgentFailure extends Error {}

/** The one who has asked may not have it done any more; others who ask the same may. */
export class AskerRefused extends AgentFailure {}
