import type { IncomingMessage } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import getRawBody, { type RawBodyError } from 'raw-body';
import { BadRequest, DomainError, Invalid, TooLarge, UnsupportedMediaType } from '../errors/errors.js';
import { type Json, JsonLimitError, JsonSyntaxError, parseJson } from '../../../packages/json/index.js';
import { decodeText, UndecodableText } from './decode-text.js';
import { announcedBytes, askForBody, SMALL_BODY } from './unread-body.js';

/** `application/json` and `application/<anything>+json`, parameters ignored. */
const JSON_TYPE = /^\s*application\/(?:[^;/]*\+)?json\s*(?:;|$)/i;

/** Time for a client to send all of its JSON: enough for a few MiB on a slow line. */
const PATIENCE_MS = 60_000;

/**
 * The body of a request: its JSON value, the text itself when the content type says that it is no JSON, or undefined
 * when there is none.
 *
 * @throws Invalid for faulty JSON; BadRequest for bytes that are no text and JSON that goes too far; TooLarge above
 * `limit` bytes; UnsupportedMediaType for a compressed body; 408 when it is not there after `patienceMs`.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  patienceMs = PATIENCE_MS,
): Promise<Json | undefined> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new UnsupportedMediaType('body_compressed', 'The body must not be compressed');
  assertLength(request, limit);
  askForBody(request);
  const bytes = await collect(request, limit, patienceMs);
  if (bytes.length === 0) return undefined;
  if (bytes.length > SMALL_BODY) await turn();
  return JSON_TYPE.test(request.headers['content-type'] ?? '') ? parse(bytes, limit) : bytes.toString();
}

/** Resolves when this is the next large body to be read: one in each round of the event loop, with everything else between. */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextRound());
  return lastTurn;
}

let lastTurn: Promise<void> = Promise.resolve();

/** @throws TooLarge when the head of a request says that its body is */
export function assertLength(request: IncomingMessage, limit: number): void {
  if ((announcedBytes(request) ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): TooLarge =>
  new TooLarge('body_too_large', `The body may have at most ${limit} bytes`);

async function collect(request: IncomingMessage, limit: number, patienceMs: number): Promise<Buffer> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(
      () => reject(new DomainError('body_too_slow', 'The body took too long', { Connection: 'close' })),
      patienceMs,
    );
  });
  try {
    return await Promise.race([getRawBody(request, { limit }), late]);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if ((error as RawBodyError).type === 'entity.too.large') throw tooLarge(limit);
    throw new BadRequest('body_cut_off', 'The body was cut off');
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
