import { AgentFailure } from '../agent.js';
import { TURN_SENTENCES } from '../turn-sentences.js';
import { brokenOff } from './provider-fault.js';

/** Finish reasons for incomplete answers, in lower case. An answer with any other reason is complete. */
const TOO_LONG = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'max_completion_tokens',
  'model_length',
  'token_limit',
  'model_context_window_exceeded',
  'context_length_exceeded',
  'truncated',
]);
const WITHHELD = new Set([
  'content_filter',
  'content-filter',
  'content_filtered',
  'guardrail_intervened',
  'refusal',
  'safety',
  'image_safety',
  'sensitive',
  'moderation',
  'recitation',
  'blocklist',
  'prohibited_content',
  'spii',
  'language',
]);
const BROKEN_OFF = new Set([
  'insufficient_system_resource',
  'network_error',
  'error',
  'server_error',
  'internal_error',
  'engine_error',
  'overloaded',
  'rate_limit',
  'timeout',
  'abort',
  'aborted',
  'cancelled',
  'canceled',
  'interrupted',
  'incomplete',
  'pause_turn',
  'repetition',
  'repetition_truncation',
  'malformed_function_call',
  'malformed_tool_use',
  'malformed_model_output',
  'unexpected_tool_call',
  'finish_reason_unspecified',
]);

/** @throws ProviderFault or AgentFailure if the answer is incomplete. A stream without a finish reason was cut off. */
export function assertComplete(finishReason: string | undefined): void {
  const reason = finishReason?.toLowerCase();
  if (reason === undefined || BROKEN_OFF.has(reason)) throw brokenOff();
  if (TOO_LONG.has(reason)) throw new AgentFailure(TURN_SENTENCES.answerTooLong);
  if (WITHHELD.has(reason)) throw new AgentFailure(TURN_SENTENCES.answerWithheld);
}
