import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, request as plain, type RequestOptions } from 'node:http';
import { request as secure } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';
import { unlessAborted } from '../common/leases/unless-aborted.js';
import { type AddressRules, hostOf, isAllowedAddress, isLoopbackName, urlProblem } from './addresses.js';

/** For all of it: name, connection, request and answer. */
const TIMEOUT_MS = 10_000;
/** So much of an answer is read, and kept. */
const MAX_ANSWER_BYTES = 1024;
/** Maximum number of interim answers, such as 100 Continue. */
const MAX_INTERIM_ANSWERS = 5;
/** Maximum number of bytes from the receiver, because heads, chunk sizes and empty lines cost time and are no content. */
const MAX_RECEIVED_BYTES = 256 * 1024;

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
  resolve?: (host: string, signal: AbortSignal) => Promise<LookupAddress[]>;
}

/** Nothing is sent, as the address is refused. */
class RefusedAddress extends Error {}

/**
 * Posts a body once. The name is resolved once, and only addresses that were looked at are connected to: the first one that
 * answers. Redirects are answers as others are.
 *
 * @throws the signal's reason when it aborts before
 */
export async function send(
  target: string,
  headers: Record<string, string>,
  body: string,
  sending: SendOptions,
): Promise<Sent> {
  const { signal, timeoutMs = TIMEOUT_MS } = sending;
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, timeout]);
  try {
    const url = new URL(target);
    const addresses = await unlessAborted(allowedAddresses(url, sending, until), until);
    const response = await post(url, addresses, headers, Buffer.from(body), until);
    return { status: response.statusCode ?? null, answer: await beginningOf(response), error: null };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, answer: null, error: sentenceOf(error, timeout.aborted, timeoutMs) };
  }
}

/** For a connection to one of several addresses. */
const CONNECT_MS = 2_000;
/** A name server is asked twice. */
const NAME_SERVER_MS = 2_000;
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * The addresses of a name, asked of the name servers themselves. The system's own look-up waits in one of few threads that
 * files and compression need as well: names whose servers are silent would hold them all.
 *
 * @param servers others than those of the system
 */
export async function addressesOf(host: string, signal: AbortSignal, servers?: string[]): Promise<LookupAddress[]> {
  if (isLoopbackName(host)) return LOOPBACK;
  const resolver = new Resolver({ timeout: NAME_SERVER_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
    ];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** @throws RefusedAddress when one of the addresses is refused: which of them is connected to must not decide */
async function allowedAddresses(
  url: URL,
  { rules, resolve = addressesOf }: SendOptions,
  until: AbortSignal,
): Promise<LookupAddress[]> {
  const problem = urlProblem(url.href, rules);
  if (problem !== undefined) throw new RefusedAddress(problem);
  const host = hostOf(url);
  const family = isIP(host);
  const found = family === 0 ? await resolve(host, until) : [{ address: host, family }];
  if (found.length === 0 || found.some(({ address }) => !isAllowedAddress(address, rules))) {
    throw new RefusedAddress('the address is not one of the internet');
  }
  if (url.protocol === 'http:' && found.some(({ address }) => isAllowedAddress(address, { loopback: false }))) {
    throw new RefusedAddress('the URL has to begin with https://');
  }
  return found;
}

async function post(
  url: URL,
  addresses: LookupAddress[],
  headers: Record<string, string>,
  body: Buffer,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const pinned: LookupFunction = (_, { all }, answer) => {
    if (all === true) answer(null, addresses);
    else answer(null, addresses[0]!.address, addresses[0]!.family);
  };
  const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
    // A connection of its own, which nobody else has opened.
    agent: false,
    lookup: pinned,
    // Of several addresses one that does not answer leaves time for another.
    autoSelectFamilyAttemptTimeout: CONNECT_MS,
    signal,
  };
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secure : plain)(url, options, resolve);
    boundReceived(request);
    request.on('error', reject);
    // What switches the protocol is closed without an error, and so is what Node has no other word for.
    request.on('close', () => reject(new Error('the connection was closed')));
    request.end(body);
  });
}

/** Closes the connection of a receiver that sends too much beside the content of its answer. */
function boundReceived(request: ClientRequest): void {
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM_ANSWERS) request.destroy(new Error('the receiver sends too many interim answers'));
  });
  request.on('socket', (socket) => {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RECEIVED_BYTES) request.destroy(new Error('the receiver sends too many bytes'));
    });
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
