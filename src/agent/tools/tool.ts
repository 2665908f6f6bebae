import type { z } from 'zod';
import type { Tx } from '../../database/database.service.js';
import type { CardResponse } from '../../projects/canvas/canvas.dto.js';
import type { Project } from '../../projects/project.entity.js';
import type { AgentContext } from '../agent.js';
import type { ShownImage } from '../images/images.service.js';

/** What a tool has done. */
export interface ToolOutcome {
  /** Any JSON value; null of an open question. */
  result: unknown;
  /** For the model beside the result; never recorded. */
  image?: ShownImage;
  /** Cards as the call has left them. */
  cards?: CardResponse[];
  removed_card_ids?: string[];
}

/** What a tool has begun and not done yet. */
export interface Unfinished {
  /** Waits for the outcome, once what the effect did is stored. @throws as {@link Tool.run} */
  unfinished: () => Promise<ToolOutcome>;
}

/** The part of a tool that changes the project; it may run several times and only the last one counts. */
export type Effect = (tx: Tx, project: Project) => Promise<ToolOutcome | Unfinished>;

/**
 * Something an agent can do. A tool acts for its context's turn alone: no input names a project, a container or a user.
 *
 * Tools read in {@link run}, and write in the effect that it answers.
 */
export interface Tool<Input = unknown> {
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** Strict, so that unknown properties are refused. */
  input: z.ZodType<Input>;
  /** What is recorded of an input; default all of it. */
  record?(input: Input): Record<string, unknown>;
  /** Whether the agent has nothing more to do in this turn. */
  endsTurn?: boolean;
  /** @throws ToolFailure or DomainError: the call has failed and nothing has changed. */
  run(input: Input, context: AgentContext): Promise<ToolOutcome | { effect: Effect }>;
}

/** Why a call failed, in words for the model and the user. */
export class ToolFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}
