import type { z } from 'zod';
import type { Tx } from '../../database/database.service.js';
import type { CardResponse } from '../../projects/canvas/canvas.dto.js';
import type { Project } from '../../projects/project.entity.js';
import type { AgentContext } from '../agent.js';
import type { ShownImage } from '../images/images.service.js';

/** Output of a successful tool call. */
export interface ToolOutcome {
  /** JSON value. Null for an open question. */
  result: unknown;
  /** Image for the model in addition to the result. Never recorded. */
  image?: ShownImage;
  /** Cards after the call. */
  cards?: CardResponse[];
  removed_card_ids?: string[];
}

/** Work that has started but has no result yet. */
export interface Unfinished {
  /** Waits for the outcome after the effect has been stored. @throws the same errors as {@link Tool.run} */
  unfinished: () => Promise<ToolOutcome>;
}

/** Function with which a tool changes the project. It may run several times, but only the last run is committed. */
export type Effect = (tx: Tx, project: Project) => Promise<ToolOutcome | Unfinished>;

/**
 * Tool that an agent can call. It acts only for the turn in its context, so its input never contains a project, a container or
 * a user.
 *
 * Tools read in {@link run} and write in the effect that it returns.
 */
export interface Tool<Input = unknown> {
  name: string;
  /** Description for the model: purpose of the tool and when to use it. */
  description: string;
  /** Strict schema, so that unknown properties are rejected. */
  input: z.ZodType<Input>;
  /** Returns the recorded part of an input. Defaults to the whole input. */
  record?(input: Input): Record<string, unknown>;
  /** Whether the turn ends after a call to this tool. */
  endsTurn?: boolean;
  /** @throws ToolFailure or DomainError before any change, if the call fails */
  run(input: Input, context: AgentContext): Promise<ToolOutcome | { effect: Effect }>;
}

/** Failed tool call. The message is for both the model and the user. */
export class ToolFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}
