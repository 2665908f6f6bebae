import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExecutionsService } from '../../executions/executions.service.js';
import { triggerOfTurn } from '../../executions/trigger.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { AgentContext } from '../agent.js';
import { type Tool, ToolFailure, type ToolOutcome } from './tool.js';

/** Most solves that a turn starts; scenarios that are solved together are one. */
export const MAX_SOLVES = 3;

const solveInput = z.strictObject({
  model_file: z
    .string()
    .optional()
    .describe('Path of a workspace file in CPLEX LP format, named *.lp; absent: the cards of the canvas are solved'),
  is_test: z.boolean().default(false).describe('Leaves the checklist as it is'),
});

/** The tool that has models solved. */
@Injectable()
export class SolveToolsService {
  readonly run: Tool<z.infer<typeof solveInput>> = {
    name: 'run_solve',
    description: [
      'Solves the model on the canvas, or a model file, and answers the outcome: values of the variables and slacks of the constraints,',
      'or which constraints cannot hold together, or what the model lacks;',
      'and the feasibility_result of the checklist, which a solve of the canvas alone can change.',
      `At most ${MAX_SOLVES} times a turn.`,
    ].join(' '),
    input: solveInput,
    run: ({ model_file, is_test }, context) => {
      const trigger = triggerOfTurn(context.turn_id, context.spender);
      return Promise.resolve({
        effect: async (tx, project) => {
          if ((await this.executions.countOf(tx, project.id, trigger)) >= MAX_SOLVES) {
            throw new ToolFailure('limit_reached', `A turn has at most ${MAX_SOLVES} solves`);
          }
          const input_file_ids = model_file === undefined ? null : [model_file];
          const { id } = await this.executions.start(tx, project, { ...trigger, input_file_ids, is_test });
          return { unfinished: async () => await this.outcome(context, id) };
        },
      });
    },
  };

  constructor(
    private readonly executions: ExecutionsService,
    private readonly projects: ProjectsRepository,
  ) {}

  /** What came of an execution; one that the turn does not wait for any more is canceled: nobody would hear of it. */
  private async outcome({ project_id, signal }: AgentContext, id: string): Promise<ToolOutcome> {
    const over = await this.executions.whenOver(project_id, id, signal).catch(async (error: unknown) => {
      if (signal.aborted) await this.executions.cancelKnown(project_id, id);
      throw error;
    });
    const { status, result, error } = over;
    // What was solved may be another model than that of the canvas now.
    const { feasibility_result } = await this.projects.requireKnown(project_id);
    return { result: { execution_id: id, status, result, error, feasibility_result } };
  }
}
