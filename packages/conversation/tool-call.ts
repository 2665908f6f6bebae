/** A tool call as it is recorded on a message; fields of the documented ToolCallData that this service fills. */
export interface ToolCall {
  id: string;
  tool: string;
  status: 'running' | 'completed' | 'failed' | 'unknown';
  input: Record<string, unknown>;
  /** Any JSON value; null while the call runs, when it failed, and for a question that is open. */
  result: unknown;
  error?: string;
  error_code?: string;
  error_details?: Record<string, unknown>;
  turn_id?: string;
  /** `YYYY-MM-DDTHH:MM:SS.sssZ`, as are all moments of a recorded call. */
  started_at: string;
  completed_at?: string;
  duration_ms?: number;
}
