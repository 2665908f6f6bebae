import type { AssistantModelMessage, ModelMessage, ToolCallPart, ToolResultPart } from 'ai';
import type { AgentMessage } from '../agent.js';
import type { RecordedStep } from '../recorded-step.js';
import type { ToolCall } from '../../../packages/conversation/index.js';

/** Call with its result, formatted for the model. */
export interface PairedCall {
  id: string;
  tool: string;
  input: unknown;
  output: Exclude<ToolResultPart['output'], { type: 'execution-denied' }>;
}

/** Text and calls of the model's answer to a single request. */
interface EarlierStep {
  text: string;
  calls: ToolCall[];
  step: RecordedStep | undefined;
}

/** Splits an earlier message into steps. If no steps were recorded, text after a call starts the next step. */
export function stepsOf({
  content,
  tool_calls,
  parts = [content, ...tool_calls],
  steps = [],
}: AgentMessage): EarlierStep[] {
  const earlier: EarlierStep[] = [];
  let index = 0;
  let step: EarlierStep = { text: '', calls: [], step: steps[0] };
  for (const part of parts) {
    const isNext = step.calls.length > 0 && (typeof part === 'string' || step.calls.length === step.step?.calls);
    if (isNext) {
      earlier.push(step);
      index += 1;
      step = { text: '', calls: [], step: steps[index] };
    }
    if (typeof part === 'string') step.text += part;
    else step.calls.push(part);
  }
  return [...earlier, step];
}

/** Returns the model's message and the results of its calls. `step` contains the provider data of the message. */
export function pairedMessages(text: string, calls: PairedCall[], step?: RecordedStep): ModelMessage[] {
  const callParts = calls.map(({ id, tool, input }): ToolCallPart => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: nameOf(tool),
    // Providers reject arguments that are not an object. The call's result already describes the error.
    input: typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {},
  }));
  const texts = text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trimEnd() }];
  const content = step?.parts === undefined ? [...texts, ...callParts] : partsOf(step.parts, callParts);
  if (content.length === 0) return [];
  const results = calls.map(({ id, tool, output }): ToolResultPart => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: nameOf(tool),
    output,
  }));
  return [
    { role: 'assistant', content, ...(step?.options && { providerOptions: step.options }) },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
  ];
}

/** Returns the parts of an answer in order. Omits calls that were not recorded because the process crashed. */
function partsOf(
  parts: NonNullable<RecordedStep['parts']>,
  calls: ToolCallPart[],
): Exclude<AssistantModelMessage['content'], string> {
  let at = 0;
  return parts.flatMap((part): Exclude<AssistantModelMessage['content'], string> => {
    if (part.type !== 'tool-call') return part.type === 'text' && part.text.trim() === '' ? [] : [part];
    const call = calls[at++];
    if (call === undefined) return [];
    return [{ ...call, providerOptions: { ...part.providerOptions, ...(part.id && { [SENT_ID]: { id: part.id } }) } }];
  });
}

/** Internal namespace for the provider's call id. Removed before the request is sent. */
export const SENT_ID = 'sentId';

/** Converts a tool name to a format that providers accept. Models also call tools that do not exist, with arbitrary names. */
const nameOf = (tool: string): string => tool.replace(/[^\w-]/g, '_').slice(0, 64) || '_';
