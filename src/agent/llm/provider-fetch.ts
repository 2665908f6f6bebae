import type { AnswerReader } from './answer-reader.js';
import { DONE, streamValues } from './event-stream.js';
import { isRecord } from './json-values.js';
import { brokenOff, faultInStream, faultOfResponse, webPage } from './provider-fault.js';

/** Maximum wait for each value after the finish reason, such as the usage and the end marker, in milliseconds. */
const END_MS = 500;
/** Maximum length of an error response, in characters. */
const MAX_REJECTION_LENGTH = 64 * 1024;

/**
 * Returns a `fetch` for the AI SDK that does not follow redirects and converts answers into chunks that the SDK understands.
 * The stream ends at the dialect's end marker. Provider errors are thrown as ProviderFault.
 */
export function providerFetch(createReader: () => AnswerReader): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (!response.ok) throw faultOfResponse(response.status, response.headers, await beginningOf(response));
    if (response.body === null) throw brokenOff();
    if (/html/i.test(response.headers.get('content-type') ?? '')) {
      await response.body.cancel();
      throw webPage();
    }
    const chunks = ReadableStream.from(readAnswer(response.body, createReader()));
    return new Response(chunks.pipeThrough(new TextEncoderStream()), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** Reads an answer up to its end marker. Some servers keep the connection open after the marker. @throws ProviderFault */
async function* readAnswer(body: ReadableStream<Uint8Array>, answer: AnswerReader): AsyncGenerator<string> {
  const texts = decoded(body).getReader();
  const values = streamValues(texts);
  let isMarked = false;
  try {
    for (;;) {
      const next = values.next();
      const { value: item } = answer.isFinished ? await withoutLoss(next) : await next;
      if (item === undefined) break;
      if (item === DONE) {
        isMarked = true;
        break;
      }
      const { event, value } = item;
      const fault = faultInStream(value, event === 'error');
      if (fault !== undefined) throw fault;
      if (isRecord(value)) yield* answer.read(event === '' ? value : { type: event, ...value }).map(toEvent);
      if (answer.hasEndMark) break;
    }
    yield* answer.end(isMarked).map(toEvent);
  } finally {
    // Not awaited, because the server may have stopped reading.
    texts.cancel().catch(() => undefined);
  }
}

/**
 * Waits for the next value after the finish reason. The answer is already complete, so a lost or silent connection only ends
 * the stream.
 */
async function withoutLoss<Value>(
  next: Promise<IteratorResult<Value, undefined>>,
): Promise<{ value?: Value | undefined }> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<object>((resolve) => {
    timer = setTimeout(resolve, END_MS, {});
  });
  const read = next.then((result) => (result.done === true ? {} : { value: result.value }));
  try {
    return await Promise.race([read.catch(() => ({})), silence]);
  } finally {
    clearTimeout(timer);
  }
}

const decoded = (bytes: ReadableStream<Uint8Array>): ReadableStream<string> =>
  bytes.pipeThrough<string>(new TextDecoderStream());

const toEvent = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Returns the beginning of an error response. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  for await (const piece of body === null ? [] : decoded(body)) {
    text += piece;
    if (text.length > MAX_REJECTION_LENGTH) break;
  }
  return text;
}
