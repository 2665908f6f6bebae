import type { ImagePart, ModelMessage, TextPart, ToolCallPart, ToolResultPart } from 'ai';
import type { AgentContext, AgentMessage } from '../agent.js';
import type { ShownImage } from '../images/images.service.js';
import type { ToolCall } from '../tool-call.js';
import { cutText, markAsData } from '../tools/data-text.js';
import type { Call, Reply } from '../tools/toolbox.service.js';
import { filesByName, type MessageFiles } from './message-files.js';

/** Characters of earlier messages, calls and results included, that the model is given from the newest back. */
const MAX_CHARACTERS = 200_000;
/** Bytes of an earlier call's input and result that are given again. */
const EARLIER_BYTES = 2_000;

/** A call with what came of it, as models read it. */
interface PairedCall {
  id: string;
  tool: string;
  input: unknown;
  output: ToolResultPart['output'];
}

/** A call that was just made. */
export interface MadeCall {
  id: string;
  call: Call;
  reply: Reply;
}

/**
 * The conversation as the model reads it: what fits of the earlier messages, and all that are to be answered.
 *
 * These come last, as models answer the end of a conversation: one that waited may be older than the answer it waited
 * behind. And a person comes first, as providers want it.
 */
export function conversationOf(context: AgentContext, files: MessageFiles = filesByName(context)): ModelMessage[] {
  const { messages } = context;
  let left = MAX_CHARACTERS;
  const shown: ModelMessage[][] = [];
  for (const message of messages.filter(({ to_answer }) => !to_answer).reverse()) {
    const read = toModel(message, files);
    left -= JSON.stringify(read).length;
    if (left < 0) break;
    shown.push(read);
  }
  const before = shown.reverse().flat();
  const begin = before.findIndex(({ role }) => role === 'user');
  const asked = messages.filter(({ to_answer }) => to_answer).flatMap((message) => toModel(message, files));
  return [...(begin < 0 ? [] : before.slice(begin)), ...asked];
}

/**
 * What the model has just said and done, and what came of it. Images are in the results of their calls, or come after all
 * of them in a message, where results of the wire format are texts.
 */
export function exchange(text: string, calls: MadeCall[], { imagesInResults = true } = {}): ModelMessage[] {
  const images = calls.flatMap(({ reply }) => (reply.ok && reply.image) || []);
  const messages = paired(
    text,
    calls.map(({ id, call: { tool, input }, reply }) => ({ id, tool, input, output: outputOf(tool, reply) })),
  );
  if (imagesInResults || images.length === 0) return messages;
  return [...messages, { role: 'user', content: images.flatMap(imageParts) }];

  function outputOf(tool: string, reply: Reply): PairedCall['output'] {
    if (!reply.ok) return { type: 'error-text', value: `${reply.error_code}: ${reply.error}` };
    const value = markAsData(tool, reply.result);
    if (reply.image === undefined || !imagesInResults) return { type: 'text', value };
    const { base64: data, media_type: mediaType } = reply.image;
    return {
      type: 'content',
      value: [
        { type: 'text', text: value },
        { type: 'image-data', data, mediaType },
      ],
    };
  }
}

/** Whether a request of these messages has an image in it. */
export function hasImages(messages: readonly ModelMessage[]): boolean {
  return messages.some(({ content }) => {
    if (typeof content === 'string') return false;
    return content.some(
      (part) => part.type === 'image' || (part.type === 'tool-result' && part.output.type === 'content'),
    );
  });
}

function toModel(message: AgentMessage, { names, images }: MessageFiles): ModelMessage[] {
  if (message.role === 'assistant') return paired(message.content, message.tool_calls.map(earlier));
  if (message.role === 'system') return [{ role: 'user', content: `[Note of the service: ${message.content}]` }];
  const text = userText(message, names);
  const shown = images.get(message) ?? [];
  if (shown.length === 0) return [{ role: 'user', content: text }];
  return [{ role: 'user', content: [...shown.flatMap(imageParts), { type: 'text', text }] }];
}

/** An image below a line that says which one it is. */
const imageParts = ({ number, path, base64, media_type }: ShownImage): [TextPart, ImagePart] => [
  { type: 'text', text: `[Image ${number}: ${path}]` },
  { type: 'image', image: base64, mediaType: media_type },
];

function userText(message: AgentMessage, names: MessageFiles['names']): string {
  const { content, user_name, answer, file_ids, context, to_answer } = message;
  const files = file_ids.flatMap(
    (reference) => names.get(reference) ?? (to_answer ? `${reference} (not in the workspace)` : []),
  );
  const notes = [
    ...(user_name === null ? [] : [`From ${user_name}`]),
    ...(answer === null ? [] : [`Chosen answer: ${JSON.stringify(answer)}`]),
    ...(files.length > 0 ? [`Attached files: ${files.join(', ')}`] : []),
    ...(context.length > 0 ? [`About: ${context.map(({ type, id }) => `${type} ${id}`).join(', ')}`] : []),
  ];
  return [...notes.map((note) => `[${note}]`), content || '(no words)'].join('\n');
}

function earlier({ id, tool, input, status, result, error, error_code }: ToolCall): PairedCall {
  const text = JSON.stringify(input);
  const shown = Buffer.byteLength(text) <= EARLIER_BYTES ? input : { beginning: cutText(text, EARLIER_BYTES) };
  return { id, tool, input: shown, output: earlierOutput() };

  function earlierOutput(): PairedCall['output'] {
    if (status !== 'completed')
      return { type: 'error-text', value: `${error_code ?? status}: ${error ?? 'no result'}` };
    if (result === null) return { type: 'text', value: 'No answer yet' };
    return { type: 'text', value: markAsData(tool, cutText(JSON.stringify(result), EARLIER_BYTES)) };
  }
}

/** A tool's name as providers take it back: models also call tools that there are not, by any name. */
const nameOf = (tool: string): string => tool.replace(/[^\w-]/g, '_').slice(0, 64) || '_';

/** A message of the model with its calls, and their results. */
function paired(text: string, calls: PairedCall[]): ModelMessage[] {
  const parts = calls.map(({ id, tool, input }): ToolCallPart => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: nameOf(tool),
    // Arguments that are no object cannot be sent back; what was wrong is in the result.
    input: typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {},
  }));
  const said = text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trimEnd() }];
  if (said.length + parts.length === 0) return [];
  const results = calls.map(({ id, tool, output }): ToolResultPart => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: nameOf(tool),
    output,
  }));
  return [
    { role: 'assistant', content: [...said, ...parts] },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
  ];
}
