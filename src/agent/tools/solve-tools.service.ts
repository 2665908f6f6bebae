import type { ExecutionId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExecutionsService } from '../../executions/executions.service.js';
import type { AgentContext } from '../agent.js';
import type { Tool, ToolOutcome } from './tool.js';
import { MAX_SOLVES, TurnSolvesService } from './turn-solves.service.js';

const solveInput = z.strictObject({
  model_file: z
    .string()
    .optional()
    .describe('Path of a workspace file in CPLEX LP format, named *.lp; absent: the cards of the canvas are solved'),
  is_test: z.boolean().default(false).describe('Leaves the checklist as it is'),
});

/** Tool that solves models. */
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
    run: ({ model_file, is_test }, context) =>
      Promise.resolve({
        effect: async (tx, project) => {
          const trigger = await this.turnSolves.admit(tx, project.id, context);
          const input_file_ids = model_file === undefined ? null : [model_file];
          const { id } = await this.executions.start(tx, project, { ...trigger, input_file_ids, is_test });
          return { unfinished: async () => await this.outcome(context, id) };
        },
      }),
  };

  constructor(
    private readonly executions: ExecutionsService,
    private readonly turnSolves: TurnSolvesService,
  ) {}

  private async outcome(context: AgentContext, execution_id: ExecutionId): Promise<ToolOutcome> {
    const { over, feasibility_result } = await this.turnSolves.outcomes(context, [execution_id]);
    const [told] = over.map(({ status, result, error }) => ({ execution_id, status, result, error }));
    return { result: { ...told, feasibility_result } };
  }
}
