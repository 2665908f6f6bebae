import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const TIMEOUT_MS = 15_000;

export interface RawRequest {
  method?: string;
  headers?: OutgoingHttpHeaders;
  /** Body, sent unchanged. A stream is sent in chunks without a declared length. */
  body?: string | Uint8Array | Readable;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/** Sends exactly the given bytes and headers, for requests that a well-behaved client cannot send. */
export async function raw(url: string, { method = 'GET', headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
  const declared = body === undefined || body instanceof Readable ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = http.request(url, { method, headers: { ...declared, ...headers }, agent: false });
  request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`${method} ${url}: no answer in ${TIMEOUT_MS} ms`)));
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  if (body instanceof Readable) {
    // A server may reject a request before it has read the request completely. The broken pipe is then not an error,
    // because the response still arrives.
    pipeline(body, request).catch((error: Error) => request.destroy(error));
  } else {
    request.end(body);
  }
  const response = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString('utf8') };
}
