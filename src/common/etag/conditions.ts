import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { PreconditionFailed } from '../errors/errors.js';
import { ExpectedTags, KnownTags } from './entity-tag.js';

const headersOf = (context: ExecutionContext): IncomingMessage['headers'] =>
  context.switchToHttp().getRequest<IncomingMessage>().headers;

/** What the client has already, by `If-None-Match`: a {@link KnownTags}. */
export const IfNoneMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  KnownTags.in(headersOf(context)['if-none-match']),
);

/** What the client has based its change on, by `If-Match`: an {@link ExpectedTags}. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ExpectedTags.in(headersOf(context)['if-match']),
);

/**
 * To be called where nobody else can change the thing any more, in the transaction of the change.
 *
 * @param current the tag of the thing, undefined when it is not there; asked for only if it matters
 * @throws PreconditionFailed
 */
export async function assertExpected(
  expected: ExpectedTags,
  current: () => string | undefined | Promise<string | undefined>,
): Promise<void> {
  if (!expected.isGiven) return;
  const tag = await current();
  if (expected.allow(tag)) return;
  throw new PreconditionFailed(
    tag === undefined
      ? 'If-Match names something that is not there'
      : 'It has changed since the version that If-Match names: read it again',
  );
}
