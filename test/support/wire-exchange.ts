import http from 'node:http';
import type { WireRequest } from './wire-faults.js';

const MiB = 1024 ** 2;
/** What is not answered in this time is not answered. */
const ANSWER_MS = 60_000;
/** An event stream is left after at most this time. */
const STREAM_MS = 2_000;
/** Longer answers are read and not kept. */
const MAX_KEPT = 8 * MiB;

/** What a connection that the other side has closed makes of a write. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

export interface Exchanged {
  /** The error's code where there was no answer, or no whole one. */
  status: number | string;
  contentType: string | null;
  /** Of the body. */
  bytes: number;
  /** Absent: it was too long to keep, or a stream. */
  text?: string;
}

/** Sends a request and reads its answer, whatever becomes of it. */
export function exchange(
  url: string,
  { method, path, headers, body }: WireRequest,
  agent: http.Agent,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const none = (status: string): void => resolve({ status, contentType: null, bytes: 0 });
    const { hostname, port } = new URL(url);
    const length = { 'content-length': Buffer.byteLength(body) };
    // With the path apart, as a URL would lose dots.
    const request = http.request({ hostname, port, path, method, headers: { ...length, ...headers }, agent });
    const patience = setTimeout(() => request.destroy(failure('ANSWER_TIMEOUT')), ANSWER_MS);
    request.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(patience);
      // The service may close an idle connection at the moment when it is used again: every client sends again then.
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
