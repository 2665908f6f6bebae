import type { ExecutionId } from '../database/checked-id.js';
import { EntityRepository } from '../database/entity-repository.js';
import type { Execution } from './execution.entity.js';
import { ExecutionLog, MAX_LINES, type Progress } from './execution-log.entity.js';
import type { LeasedExecution } from './executions.repository.js';
import { HELD } from './executions.sql.js';

/** Stores the progress that the owners of executions report. */
export class ExecutionLogsRepository extends EntityRepository(ExecutionLog) {
  /**
   * Stores the progress of a held execution and appends lines to its log, up to {@link MAX_LINES}. Returns undefined if the
   * caller no longer holds the execution.
   */
  async add(
    { id, generation }: LeasedExecution,
    progress: Progress,
    lines: readonly string[],
  ): Promise<Pick<Execution, 'keeps_plan'> | undefined> {
    const [added]: Pick<Execution, 'keeps_plan'>[] = await this.query(
      `INSERT INTO execution_logs AS l (execution_id, progress, lines)
       SELECT id, $3, $4::text[] FROM executions WHERE ${HELD}
       ON CONFLICT (execution_id) DO UPDATE
          SET progress = EXCLUDED.progress,
              lines = (l.lines || EXCLUDED.lines)[greatest(1, cardinality(l.lines || EXCLUDED.lines) - ${MAX_LINES - 1}):]
       RETURNING (SELECT keeps_plan FROM executions WHERE id = execution_id)`,
      [id, generation, progress, lines],
    );
    return added;
  }

  /** Returns the log of an execution, or undefined if nothing was logged yet. */
  async of(execution_id: ExecutionId): Promise<ExecutionLog | undefined> {
    return (await this.findOneBy({ execution_id })) ?? undefined;
  }
}
