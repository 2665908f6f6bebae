import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, request as plain, type RequestOptions } from 'node:http';
import { request as secure } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';
import { unlessAborted } from '../common/leases/unless-aborted.js';
import { type AddressRules, hostOf, isAllowedAddress, isLoopbackName, urlProblem } from './addresses.js';

/** Timeout for the whole attempt: name resolution, connection, request and response. */
const TIMEOUT_MS = 10_000;
/** Maximum number of bytes that are read from a response and stored. */
const MAX_ANSWER_BYTES = 1024;
/** Maximum number of interim responses, such as 100 Continue. */
const MAX_INTERIM_ANSWERS = 5;
/** Maximum number of bytes from the receiver, including headers, chunk sizes and empty lines. */
const MAX_RECEIVED_BYTES = 256 * 1024;

export interface AttemptResult {
  /** Null without a response. */
  status: number | null;
  /** Beginning of the response. */
  answer: string | null;
  /** Reason for a missing or incomplete response. */
  error: string | null;
}

export interface SendOptions {
  rules: AddressRules;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Resolves a host name. */
  resolve?: (host: string, signal: AbortSignal) => Promise<LookupAddress[]>;
}

/** Thrown if the address is not allowed, before anything is sent. */
class RefusedAddress extends Error {}

/**
 * Posts a body without retries. The name is resolved once, and connections are made only to the checked addresses, using the
 * first that responds. Redirects are not followed but returned like other responses.
 *
 * @throws the signal's reason if it aborts before the response
 */
export async function send(
  target: string,
  headers: Record<string, string>,
  body: string,
  sending: SendOptions,
): Promise<AttemptResult> {
  const { signal, timeoutMs = TIMEOUT_MS } = sending;
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, timeout]);
  try {
    const url = new URL(target);
    const addresses = await unlessAborted(allowedAddresses(url, sending, until), until);
    const response = await post(url, addresses, headers, Buffer.from(body), until);
    return { status: response.statusCode ?? null, answer: await readStart(response), error: null };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, answer: null, error: sentenceOf(error, timeout.aborted, timeoutMs) };
  }
}

/** Connection timeout per address. */
const CONNECT_MS = 2_000;
/** Timeout for a name server, which is queried twice. */
const NAME_SERVER_MS = 2_000;
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves a name by querying the name servers directly. The system resolver would block a thread of the small pool that is
 * also used for files and compression. Names whose name servers do not respond could block all threads.
 *
 * @param servers name servers to use instead of the system's
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

/** @throws RefusedAddress if any address is refused, because the connection may use any of them */
async function allowedAddresses(
  url: URL,
  { rules, resolve = addressesOf }: SendOptions,
  until: AbortSignal,
): Promise<LookupAddress[]> {
  const problem = urlProblem(url.href, rules);
  if (problem !== undefined) throw new RefusedAddress(problem);
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host, until) : [{ address: host, family }];
  if (addresses.length === 0 || addresses.some(({ address }) => !isAllowedAddress(address, rules))) {
    throw new RefusedAddress('the address is not on the public internet');
  }
  if (url.protocol === 'http:' && addresses.some(({ address }) => isAllowedAddress(address, { loopback: false }))) {
    throw new RefusedAddress('the URL must start with https://');
  }
  return addresses;
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
    // Uses a new connection, because a reused connection may have been opened without the address check.
    agent: false,
    lookup: pinned,
    // Leaves time for the other addresses if an address does not respond.
    autoSelectFamilyAttemptTimeout: CONNECT_MS,
    signal,
  };
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secure : plain)(url, options, resolve);
    boundReceived(request);
    request.on('error', reject);
    // Node may close the connection without an error, for example after a protocol switch.
    request.on('close', () => reject(new Error('the connection was closed')));
    request.end(body);
  });
}

/** Closes the connection of a receiver that sends too much data outside the response content. */
function boundReceived(request: ClientRequest): void {
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM_ANSWERS) request.destroy(new Error('the receiver sends too many interim responses'));
  });
  request.on('socket', (socket) => {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RECEIVED_BYTES) request.destroy(new Error('the receiver sends too many bytes'));
    });
  });
}

/** Reads the beginning of a response and closes its connection. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  response.destroy();
  // PostgreSQL text cannot contain NUL.
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '');
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_ANSWER_BYTES)).read);
}

function sentenceOf(error: unknown, isLate: boolean, timeoutMs: number): string {
  if (isLate) return `No complete response within ${timeoutMs / 1000} s`;
  if (error instanceof RefusedAddress) return `Not sent: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  return `No response: ${code ?? message}`.slice(0, MAX_ANSWER_BYTES);
}
