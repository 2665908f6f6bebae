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
    .describe(
      'Path of a workspace file in CPLEX LP or MPS format: *.lp, *.mps, *.lp.gz or *.mps.gz. Default: solves the canvas',
    ),
  is_test: z.boolean().default(false).describe('Whether to leave the checklist unchanged'),
});

@Injectable()
export class SolveToolsService {
  readonly run: Tool<z.infer<typeof solveInput>> = {
    name: 'run_solve',
    description: [
      'Solves the model on the canvas, or a model file. Returns the values of the variables and the slacks of the constraints,',
      'or the conflicting constraints, or what the model lacks,',
      'and the feasibility_result of the checklist, which only a solve of the canvas can change.',
      `Can be called at most ${MAX_SOLVES} times in a turn.`,
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
    const { ended, feasibility_result } = await this.turnSolves.outcomes(context, [execution_id]);
    const [summary] = ended.map(({ status, result, error }) => ({ execution_id, status, result, error }));
    return { result: { ...summary, feasibility_result } };
  }
}
