import type { IncomingMessage } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import getRawBody, { type RawBodyError } from 'raw-body';
import { BadRequest, DomainError, Invalid, TooLarge, UnsupportedMediaType } from '../errors/errors.js';
import { type Json, JsonLimitError, JsonSyntaxError, parseJson } from '../../../packages/json/index.js';
import { decodeText, UndecodableText } from './decode-text.js';
import { declaredBytes, askForBody, SMALL_BODY } from './unread-body.js';

/** Matches `application/json` and `application/<anything>+json`. Parameters are ignored. */
const JSON_TYPE = /^\s*application\/(?:[^;/]*\+)?json\s*(?:;|$)/i;

/** Time for a client to send its JSON body. Enough for a few MiB on a slow line. */
const PATIENCE_MS = 60_000;

/**
 * Reads the body of a request. Returns its JSON value, its text if the content type is not JSON, or undefined for an empty body.
 *
 * @throws Invalid for malformed JSON
 * @throws BadRequest for undecodable bytes and for JSON beyond the parser's limits
 * @throws TooLarge above `limit` bytes
 * @throws UnsupportedMediaType for a compressed body
 * @throws DomainError with status 408 after `patienceMs`
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  patienceMs = PATIENCE_MS,
): Promise<Json | undefined> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new UnsupportedMediaType('body_compressed', 'The request body must not be compressed');
  assertLength(request, limit);
  askForBody(request);
  const bytes = await collect(request, limit, patienceMs);
  if (bytes.length === 0) return undefined;
  if (bytes.length > SMALL_BODY) await turn();
  return JSON_TYPE.test(request.headers['content-type'] ?? '') ? parse(bytes, limit) : bytes.toString();
}

/**
 * Resolves when the next large body may be parsed. At most one large body is parsed in each round of the event loop, so other
 * work runs in between.
 */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextRound());
  return lastTurn;
}

let lastTurn: Promise<void> = Promise.resolve();

/** @throws TooLarge if the request announces a body above the limit */
export function assertLength(request: IncomingMessage, limit: number): void {
  if ((declaredBytes(request) ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): TooLarge =>
  new TooLarge('body_too_large', `The request body must not exceed ${limit} bytes`);

async function collect(request: IncomingMessage, limit: number, patienceMs: number): Promise<Buffer> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(
      () =>
        reject(new DomainError('body_too_slow', 'The request body took too long to arrive', { Connection: 'close' })),
      patienceMs,
    );
  });
  try {
    return await Promise.race([getRawBody(request, { limit }), late]);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if ((error as RawBodyError).type === 'entity.too.large') throw tooLarge(limit);
    throw new BadRequest('body_cut_off', 'The request body is incomplete');
  } finally {
    clearTimeout(patience);
  }
}

function parse(bytes: Buffer, limit: number): Json {
  try {
    return parseJson(decodeText(bytes), limit);
  } catch (error) {
    if (error instanceof UndecodableText || error instanceof JsonLimitError) {
      throw new BadRequest('json_malformed', 'There was an error parsing the body');
    }
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { position, message } = error;
    throw new Invalid([
      { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error: message } },
    ]);
  }
}
