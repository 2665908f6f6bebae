import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as plain, type RequestOptions } from 'node:http';
import { request as secure } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { unlessAborted } from '../platform/leases/unless-aborted.js';
import { type AddressRules, hostOf, isAllowedAddress, urlProblem } from './addresses.js';

/** For all of it: name, connection, request and answer. */
const TIMEOUT_MS = 10_000;
/** So much of an answer is read, and kept. */
const MAX_ANSWER_BYTES = 1024;

/** What was sent, and what came of it. */
export interface Sent {
  /** Null without an answer. */
  status: number | null;
  /** The beginning of the answer. */
  answer: string | null;
  /** Why there is no answer, or not all of it. */
  error: string | null;
}

export interface SendOptions {
  rules: AddressRules;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Finds the addresses of a name. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
}

/** Nothing is sent, as the address is refused. */
class RefusedAddress extends Error {}

/**
 * Posts a body once. The name is resolved once, and the address that was looked at is the one that is connected to;
 * redirects are answers as others are.
 *
 * @throws the signal's reason when it aborts before
 */
export async function send(
  target: string,
  headers: Record<string, string>,
  body: string,
  { rules, signal, timeoutMs = TIMEOUT_MS, resolve = allAddresses }: SendOptions,
): Promise<Sent> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, timeout]);
  try {
    const url = new URL(target);
    const address = await unlessAborted(addressOf(url, rules, resolve), until);
    const response = await post(url, address, headers, Buffer.from(body), until);
    return { status: response.statusCode ?? null, answer: await beginningOf(response), error: null };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, answer: null, error: sentenceOf(error, timeout.aborted, timeoutMs) };
  }
}

const allAddresses = async (host: string): Promise<LookupAddress[]> =>
  await lookup(host, { all: true, verbatim: true });

/** @throws RefusedAddress when one of the addresses is refused: which of them is connected to must not decide */
async function addressOf(
  url: URL,
  rules: AddressRules,
  resolve: NonNullable<SendOptions['resolve']>,
): Promise<LookupAddress> {
  const problem = urlProblem(url.href, rules);
  if (problem !== undefined) throw new RefusedAddress(problem);
  const host = hostOf(url);
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  const [first] = found;
  if (first === undefined || found.some(({ address }) => !isAllowedAddress(address, rules))) {
    throw new RefusedAddress('the address is not one of the internet');
  }
  if (url.protocol === 'http:' && found.some(({ address }) => isAllowedAddress(address, { loopback: false }))) {
    throw new RefusedAddress('the URL has to begin with https://');
  }
  return first;
}

async function post(
  url: URL,
  { address, family }: LookupAddress,
  headers: Record<string, string>,
  body: Buffer,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const pinned: LookupFunction = (_, { all }, answer) => {
    if (all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
    // A connection of its own, which nobody else has opened.
    agent: false,
    lookup: pinned,
    signal,
  };
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secure : plain)(url, options, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** Reads as much of an answer as is kept, and closes its connection. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  response.destroy();
  // The database keeps no NUL.
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '');
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_ANSWER_BYTES)).read);
}

function sentenceOf(error: unknown, isLate: boolean, timeoutMs: number): string {
  if (isLate) return `No whole answer within ${timeoutMs / 1000} s`;
  if (error instanceof RefusedAddress) return `Not sent: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  return `No answer: ${code ?? message}`.slice(0, MAX_ANSWER_BYTES);
}
