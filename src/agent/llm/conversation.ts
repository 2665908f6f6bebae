import type { ImagePart, ModelMessage, TextPart } from 'ai';
import type { AgentContext, AgentMessage } from '../agent.js';
import type { ShownImage } from '../images/images.service.js';
import type { RecordedStep } from '../recorded-step.js';
import type { ToolCall } from '../../../packages/conversation/index.js';
import { cutText, markAsData } from '../tools/data-text.js';
import type { Call, Reply } from '../tools/toolboxes.service.js';
import { filesByName, type MessageFiles } from './message-files.js';
import { type PairedCall, pairedMessages, stepsOf } from './paired-calls.js';

/** Maximum number of characters in earlier messages, including calls and results. */
const MAX_CHARACTERS = 200_000;
/** Maximum size of an earlier call's input or result, in bytes. */
export const MAX_EARLIER_BYTES = 2_000;

/** Call made in the current turn, with its result. */
export interface CompletedCall {
  id: string;
  call: Call;
  reply: Reply;
}

/** Format in which the model receives the earlier messages. */
export interface HistoryForm {
  /** Maximum number of characters. The newest messages have priority. */
  characters: number;
  /** Whether calls are formatted as text, for providers that reject another model's calls. */
  isPlain: boolean;
  /** Provider and model for the request. */
  model: string;
}

export const WHOLE_HISTORY: HistoryForm = { characters: MAX_CHARACTERS, isPlain: false, model: '' };

/** Returns the conversation for the model. */
export function conversationOf(
  context: AgentContext,
  files: MessageFiles = filesByName(context),
  form: HistoryForm = WHOLE_HISTORY,
): ModelMessage[] {
  return [...earlierMessages(context, files, form), ...askedMessages(context, files)];
}

/** Returns the messages to answer. They come last because models answer the end of a conversation. */
export function askedMessages({ messages }: AgentContext, files: MessageFiles): ModelMessage[] {
  return messages.filter(({ to_answer }) => to_answer).flatMap((message) => userMessage(message, files));
}

/** Returns the newest earlier messages that fit. Starts with a user message, as providers require. */
export function earlierMessages({ messages }: AgentContext, files: MessageFiles, form: HistoryForm): ModelMessage[] {
  let remaining = form.characters;
  const groups: ModelMessage[][] = [];
  for (const message of inTurnOrder(messages.filter(({ to_answer }) => !to_answer)).reverse()) {
    const group = toModel(message, files, form);
    remaining -= JSON.stringify(group).length;
    if (remaining < 0) break;
    groups.push(group);
  }
  const earlier = groups.reverse().flat();
  const begin = earlier.findIndex(({ role }) => role === 'user');
  return begin < 0 ? [] : earlier.slice(begin);
}

/** Sorts messages by turn. A message that was posted while the previous turn was being answered then follows that answer. */
function inTurnOrder(messages: AgentMessage[]): AgentMessage[] {
  const places = new Map<string, number>();
  const positions = messages.map((message, index) => {
    const turn = message.turn_id ?? `message ${index}`;
    if (!places.has(turn)) places.set(turn, index);
    return { message, place: places.get(turn) ?? index };
  });
  return positions.sort((one, other) => one.place - other.place).map(({ message }) => message);
}

/**
 * Returns the model's latest answer and the results of its calls. Images are part of the results, or follow in a user message if
 * the wire format allows only text in results.
 */
export function exchange(
  text: string,
  calls: CompletedCall[],
  {
    imagesInResults = true,
    step,
    maxBytes,
  }: { imagesInResults?: boolean; step?: RecordedStep; maxBytes?: number } = {},
): ModelMessage[] {
  const images = calls.flatMap(({ reply }) => (reply.ok && reply.image) || []);
  const messages = pairedMessages(
    text,
    calls.map(({ id, call: { tool, input }, reply }) => ({
      id,
      tool,
      input: maxBytes === undefined ? input : cutInput(input, maxBytes),
      output: outputOf(tool, reply),
    })),
    step,
  );
  if (imagesInResults || images.length === 0) return messages;
  return [...messages, { role: 'user', content: images.flatMap(imageParts) }];

  function outputOf(tool: string, reply: Reply): PairedCall['output'] {
    if (!reply.ok) return { type: 'error-text', value: `${reply.error_code}: ${reply.error}` };
    const value = markAsData(
      tool,
      maxBytes === undefined ? reply.result : cutText(JSON.stringify(reply.result), maxBytes),
    );
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

/** Whether a request with these messages contains an image. */
export function hasImages(messages: readonly ModelMessage[]): boolean {
  return messages.some(({ content }) => {
    if (typeof content === 'string') return false;
    return content.some(
      (part) => part.type === 'image' || (part.type === 'tool-result' && part.output.type === 'content'),
    );
  });
}

function toModel(message: AgentMessage, files: MessageFiles, { isPlain, model }: HistoryForm): ModelMessage[] {
  if (message.role === 'system')
    return [{ role: 'user', content: noteLine(`Note from the service: ${message.content}`) }];
  if (message.role === 'user') return userMessage(message, files);
  const steps = stepsOf(message);
  if (!isPlain) {
    return steps.flatMap(({ text, calls, step }) =>
      pairedMessages(text, calls.map(earlier), step?.model === model ? step : undefined),
    );
  }
  const texts = steps.flatMap(({ text, calls }) => [text, ...calls.map(earlier).map(callAsText)]);
  const content = texts.filter((text) => text.trim() !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'assistant', content }];
}

function userMessage(message: AgentMessage, { names, images }: MessageFiles): ModelMessage[] {
  const text = userText(message, names);
  const shownImages = images.get(message) ?? [];
  if (shownImages.length === 0) return [{ role: 'user', content: text }];
  return [{ role: 'user', content: [...shownImages.flatMap(imageParts), { type: 'text', text }] }];
}

/** Returns an image preceded by a line with its number and path. */
const imageParts = ({ number, path, base64, media_type }: ShownImage): [TextPart, ImagePart] => [
  { type: 'text', text: noteLine(`Image ${number}: ${inLine(path)}`) },
  { type: 'image', image: base64, mediaType: media_type },
];

/** Matches the start of a user's line that looks like a line written by the service. */
const SERVICE_LINE = /^([ \t]*)\[(?=(From|Note from the service:|Chosen answer:|Attached files:|About:|Image \d))/gimu;

/** Formats a line written by the service. Line breaks in user values, such as names, cannot start another line. */
const noteLine = (note: string): string => `[${note.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')}]`;

/** Replaces brackets, which delimit the lines written by the service. */
const inLine = (value: string): string => value.replaceAll('[', '(').replaceAll(']', ')');

function userText(message: AgentMessage, names: MessageFiles['names']): string {
  const { content, user_name, answer, file_ids, context, to_answer } = message;
  const files = file_ids.flatMap(
    (reference) => names.get(reference) ?? (to_answer ? `${reference} (not in the workspace)` : []),
  );
  const notes = [
    ...(user_name === null ? [] : [`From ${inLine(user_name)}`]),
    ...(answer === null ? [] : [`Chosen answer: ${JSON.stringify(answer)}`]),
    ...(files.length > 0 ? [`Attached files: ${inLine(files.join(', '))}`] : []),
    ...(context.length > 0 ? [`About: ${inLine(context.map(({ type, id }) => `${type} ${id}`).join(', '))}`] : []),
  ];
  // Escapes user lines that look like lines written by the service.
  const text = content.replace(SERVICE_LINE, '$1\\[');
  return [...notes.map(noteLine), text || '(no words)'].join('\n');
}

function earlier({ id, tool, input, status, result, error, error_code }: ToolCall): PairedCall {
  return { id, tool, input: cutInput(input, MAX_EARLIER_BYTES), output: earlierOutput() };

  function earlierOutput(): PairedCall['output'] {
    if (status !== 'completed')
      return { type: 'error-text', value: `${error_code ?? status}: ${error ?? 'no result'}` };
    if (result === null) return { type: 'text', value: 'No answer yet' };
    return { type: 'text', value: markAsData(tool, cutText(JSON.stringify(result), MAX_EARLIER_BYTES)) };
  }
}

function cutInput(input: unknown, bytes: number): unknown {
  const text = JSON.stringify(input) as string | undefined;
  return text === undefined || Buffer.byteLength(text) <= bytes ? input : { beginning: cutText(text, bytes) };
}

/** Formats a call as text. */
const callAsText = ({ tool, input, output }: PairedCall): string =>
  `(Called ${tool} with ${JSON.stringify(input)}. ${typeof output.value === 'string' ? output.value : ''})`;
