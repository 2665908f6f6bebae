import { RetryState } from './retry.js';
import type { Schemas } from './schemas.js';
import { pause } from './time.js';
import type { Transport } from './transport.js';

const EXECUTION = '/api/v1/projects/{project_id}/solve/executions/{execution_id}';
/**
 * Minimum and maximum polling interval in milliseconds. The maximum roughly matches the interval of progress updates.
 */
const MIN_MS = 100;
const MAX_MS = 1_000;
const GROWTH = 1.5;
const FINAL_STATUSES: string[] = ['succeeded', 'failed', 'canceled'];

export type Execution = Schemas['ExecutionDetailResponse'];

export interface WaitOptions {
  /** Stops waiting. The execution continues unless you cancel it. */
  signal?: AbortSignal;
  /** Called with the initial execution and after each change, such as new `progress`. */
  onChange?: (execution: Execution) => void;
}

/** Polls an execution until it has ended. Its entity tag keeps polls cheap while nothing changes. */
export async function waitForExecution(
  transport: Transport,
  project_id: string,
  execution_id: string,
  { signal, onChange }: WaitOptions,
): Promise<Execution> {
  const retryState = new RetryState(transport.retry, signal);
  let etag: string | undefined;
  for (let wait = MIN_MS; ; wait = Math.min(MAX_MS, wait * GROWTH)) {
    try {
      const params = { path: { project_id, execution_id } };
      const { data, response } = await transport.callOnce('get', EXECUTION, { params, ifNoneMatch: etag, signal });
      retryState.recordSuccess();
      if (data !== undefined) {
        const execution = data as Execution;
        etag = response.headers.get('etag') ?? undefined;
        onChange?.(execution);
        if (FINAL_STATUSES.includes(execution.status)) return execution;
      }
    } catch (error) {
      await retryState.waitAfterFailure(error);
    }
    await pause(wait, signal);
  }
}
