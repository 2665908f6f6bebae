import type { Tx } from '../database.service.js';

/*
 * graphile-worker's queue. Its tables belong to the package and have no entity, so these are functions and texts.
 */

export interface JobOptions {
  /** Earliest start; default now. */
  runAt?: Date;
  /** A waiting job with the same key is replaced instead of doubled. */
  jobKey?: string;
  /** Most attempts of the job; default 25. */
  maxAttempts?: number;
}

/** Due jobs of one task that no worker has started. */
export interface Backlog {
  task: string;
  /** Counted up to 10,000 of all tasks together. */
  waiting: number;
  /** How long the first of them has been due. */
  oldest_seconds: number;
}

/** SELECT of the {@link Backlog} of each task that has one, from graphile-worker's index of available jobs. */
export const BACKLOG = `
  SELECT t.identifier AS task, count(*)::integer AS waiting,
         extract(epoch FROM clock_timestamp() - min(j.run_at))::double precision AS oldest_seconds
    FROM (SELECT task_id, run_at FROM graphile_worker._private_jobs
           WHERE is_available AND run_at <= now() ORDER BY priority, run_at LIMIT 10000) j
    JOIN graphile_worker._private_tasks t ON t.id = j.task_id
   GROUP BY t.identifier`;

/** Adds a job; it becomes visible to workers when `tx` commits. */
export async function addJob(
  tx: Tx,
  task: string,
  payload: object,
  { runAt, jobKey, maxAttempts }: JobOptions,
): Promise<void> {
  await tx.query(
    'SELECT graphile_worker.add_job($1, payload := $2::json, run_at := $3, job_key := $4, max_attempts := $5)',
    [task, JSON.stringify(payload), runAt ?? null, jobKey ?? null, maxAttempts ?? null],
  );
}
