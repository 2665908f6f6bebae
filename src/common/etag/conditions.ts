import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { PreconditionFailed } from '../errors/errors.js';
import { ExpectedTags, ClientTags } from './entity-tag.js';

const headersOf = (context: ExecutionContext): IncomingMessage['headers'] =>
  context.switchToHttp().getRequest<IncomingMessage>().headers;

/** Injects the tags that the client already has, from `If-None-Match`, as {@link ClientTags}. */
export const IfNoneMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ClientTags.in(headersOf(context)['if-none-match']),
);

/** Injects the tags that the client's change is based on, from `If-Match`, as {@link ExpectedTags}. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ExpectedTags.in(headersOf(context)['if-match']),
);

/**
 * Checks `If-Match`. Call it in the transaction of the change, after locking the resource.
 *
 * @param current returns the tag of the resource, or undefined if it does not exist. Called only if the request has `If-Match`.
 * @throws PreconditionFailed
 */
export async function assertExpected(
  expected: ExpectedTags,
  current: () => string | undefined | Promise<string | undefined>,
): Promise<void> {
  if (!expected.isPresent) return;
  const tag = await current();
  if (expected.allow(tag)) return;
  throw new PreconditionFailed(
    tag === undefined
      ? 'The resource does not exist, so it cannot match If-Match'
      : 'The resource has changed since the version in If-Match; read it again',
  );
}
