/** Tool call recorded on a message. Contains the fields of the documented ToolCallData that this service uses. */
export interface ToolCall {
  id: string;
  tool: string;
  status: 'running' | 'completed' | 'failed' | 'unknown';
  input: Record<string, unknown>;
  /** Any JSON value. Null while the call is running, after a failure, and for an open question. */
  result: unknown;
  error?: string;
  error_code?: string;
  error_details?: Record<string, unknown>;
  turn_id?: string;
  /** Start time in the format `YYYY-MM-DDTHH:MM:SS.sssZ`, like all times in a recorded call. */
  started_at: string;
  completed_at?: string;
  duration_ms?: number;
}
