import http from 'node:http';
import type { WireRequest } from './wire-faults.js';

const MiB = 1024 ** 2;
/** Time after which a request counts as unanswered. */
const ANSWER_MS = 60_000;
/** Maximum time until an event stream is closed. */
const STREAM_MS = 2_000;
/** Maximum length of a body to keep. Longer bodies are read but not kept. */
const MAX_KEPT = 8 * MiB;

/** Error codes for writing to a connection that the other side has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

export interface Exchanged {
  /** Status, or the error code if there was no complete response. */
  status: number | string;
  contentType: string | null;
  /** Length of the body. */
  bytes: number;
  /** Text of the body. Undefined if the body was too long to keep, or if it was a stream. */
  text?: string;
}

/** Sends a request and reads the response. Never rejects: errors become the status. */
export function exchange(
  url: string,
  { method, path, headers, body }: WireRequest,
  agent: http.Agent,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const none = (status: string): void => resolve({ status, contentType: null, bytes: 0 });
    const { hostname, port } = new URL(url);
    const length = { 'content-length': Buffer.byteLength(body) };
    // The path is passed separately, because a URL would normalize dot segments.
    const request = http.request({ hostname, port, path, method, headers: { ...length, ...headers }, agent });
    const patience = setTimeout(() => request.destroy(failure('ANSWER_TIMEOUT')), ANSWER_MS);
    request.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(patience);
      // The service may close an idle connection just as it is reused. Every client retries in this case.
      if (request.reusedSocket && CLOSED.includes(error.code ?? ''))
        resolve(exchange(url, { method, path, headers, body }, agent));
      else none(error.code ?? error.message);
    });
    request.once('response', (response) => {
      const contentType = response.headers['content-type'] ?? null;
      const isStream = contentType?.startsWith('text/event-stream') === true;
      if (isStream) setTimeout(() => request.destroy(), Math.random() * STREAM_MS);
      const chunks: Buffer[] = [];
      let bytes = 0;
      response
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_KEPT) chunks.push(chunk);
        });
      response.once('close', () => {
        clearTimeout(patience);
        const isKept = !isStream && bytes <= MAX_KEPT;
        if (!response.complete && !isStream) none('CUT_OFF');
        else {
          const text = isKept ? { text: Buffer.concat(chunks).toString('utf8') } : {};
          resolve({ status: response.statusCode ?? 0, contentType, bytes, ...text });
        }
      });
    });
    request.end(body);
  });
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
