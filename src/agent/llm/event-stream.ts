import { parseJson } from './json-values.js';
import { brokenOff, webPage } from './provider-fault.js';

/** End marker in OpenAI's streams. */
export const DONE = Symbol('[DONE]');

/** JSON value from a stream, with the name of its event. The name may be empty. */
export interface StreamValue {
  event: string;
  value: unknown;
}

/** Maximum length of a value, in characters. */
const MAX_CHARACTERS = 16 * 1024 ** 2;
const FIELD = /^(data|event|id|retry): ?/;

/**
 * Reads the JSON values of a streamed answer. Line ends, blank lines and content types vary between servers, so the reader relies
 * on the JSON itself. Skips lines that are not JSON.
 *
 * @throws ProviderFault if the answer is a web page, or if a value exceeds the maximum length
 */
export async function* streamValues(
  texts: ReadableStreamDefaultReader<string>,
): AsyncGenerator<StreamValue | typeof DONE, undefined> {
  let event = '';
  let pending = '';
  let isFirst = true;
  for await (const line of linesOf(texts)) {
    const field = FIELD.exec(line);
    const text = field === null ? line : line.slice(field[0].length);
    if (field === null && isFirst && text.trim() !== '') {
      if (text.trimStart().startsWith('<')) throw webPage();
      isFirst = false;
    }
    if (line === '') {
      event = pending = '';
    } else if (field?.[1] === 'event') {
      event = text.trim();
    } else if (field?.[1] === 'data' || (field === null && (pending !== '' || /^\s*[[{]/.test(line)))) {
      if (text.trim() === '[DONE]') {
        yield DONE;
        continue;
      }
      pending = pending === '' ? text : `${pending}\n${text}`;
      if (pending.length > MAX_CHARACTERS) throw brokenOff();
      const isEnd = pending === text || /[}\]]\s*$/.test(text);
      // The previous line may be garbage, and some servers omit the blank line between values.
      const value = isEnd ? (parseJson(pending) ?? parseJson(text)) : undefined;
      if (value === undefined && event !== 'error') continue;
      yield { event, value };
      pending = '';
    }
  }
  return undefined;
}

/** Reads lines that end in LF, CR or CRLF. The last line does not need a line ending. */
async function* linesOf(texts: ReadableStreamDefaultReader<string>): AsyncGenerator<string> {
  let pieces: string[] = [];
  let length = 0;
  let endedInReturn = false;
  for (;;) {
    const { done, value } = await texts.read();
    if (done) break;
    const text = endedInReturn && value.startsWith('\n') ? value.slice(1) : value;
    if (value !== '') endedInReturn = value.endsWith('\r');
    const [first = '', ...more] = text.split(/\r\n|\n|\r/);
    pieces.push(first);
    length += first.length;
    if (length > MAX_CHARACTERS) throw brokenOff();
    for (const line of more) {
      yield pieces.join('');
      pieces = [line];
      length = line.length;
    }
  }
  if (length > 0) yield pieces.join('');
}
