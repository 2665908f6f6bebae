import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { BadRequest } from '../errors/errors.js';
import type { Json } from '../../../packages/json/index.js';
import { FairShares, type Share } from '../throttling/fair-shares.js';
import { sharesOf } from '../throttling/limits.js';
import { assertLength, readBody } from './read-body.js';
import { announcedBytes, SMALL_BODY } from './unread-body.js';

const MiB = 1024 ** 2;

/** Most bytes of a handler's body, where 1 MiB is not enough. */
export const BodyLimit = Reflector.createDecorator<number | undefined>();

/** Most bytes of bodies that are held at once, small ones not counted: what is read of one takes a few times as much. */
const MAX_HELD = 64 * MiB;
const MAX_HELD_OF_CALLER = 16 * MiB;
const MAX_HELD_OF_COMPANY = 32 * MiB;
/** Bodies of callers who are refused are held only as far as this goes. */
const REFUSED: Share = { key: 'refused', limit: 4 * MiB };

/** Reads bodies of JSON, all of them together within a bounded amount of memory. */
@Injectable()
export class BodyReaderService {
  private readonly limits = new WeakMap<object, number | null>();
  private readonly shares = new FairShares(MAX_HELD);

  constructor(private readonly reflector: Reflector) {}

  /** Bytes of larger bodies that are held or on their way. */
  get held(): number {
    return this.shares.taken;
  }

  /** Most bytes of a body that the handler takes; undefined when it takes none. */
  limitOf(context: ExecutionContext): number | undefined {
    const handler = context.getHandler();
    let limit = this.limits.get(handler);
    if (limit === undefined) {
      const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) as
        object | undefined;
      const takesBody = Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
      limit = takesBody ? (this.reflector.get(BodyLimit, handler) ?? MiB) : null;
      this.limits.set(handler, limit);
    }
    return limit ?? undefined;
  }

  /**
   * The body of a caller's request; waits while too much is held. What it takes is given back when the answer is over.
   *
   * @throws what {@link readBody} throws, and TooManyRequests
   */
  async read(request: AuthenticatedRequest, response: ServerResponse, limit: number): Promise<Json | undefined> {
    assertLength(request, limit);
    const bytes = announcedBytes(request) ?? limit;
    if (bytes > SMALL_BODY && request.caller !== undefined) {
      const shares = sharesOf(request.caller, { caller: MAX_HELD_OF_CALLER, company: MAX_HELD_OF_COMPANY });
      // It has closed already and will not do so again.
      if (response.closed) throw new BadRequest('body_cut_off', 'The body was cut off');
      const ticket = this.shares.take(bytes, shares);
      response.once('close', () => ticket.leave());
      await ticket.granted;
    }
    return await readBody(request, limit);
  }

  /**
   * Looks at the syntax of a small body although its caller is refused: clients know that a syntax error comes first.
   * Larger ones, and those without a length, stay unread.
   *
   * @throws what {@link readBody} throws
   */
  async checkSyntax(context: ExecutionContext): Promise<void> {
    const limit = this.limitOf(context);
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    const bytes = announcedBytes(request);
    if (limit === undefined || bytes === undefined || bytes === 0 || bytes > SMALL_BODY) return;
    const ticket = this.shares.takeNow(bytes, [REFUSED]);
    if (ticket === undefined) return;
    try {
      await readBody(request, limit);
    } finally {
      ticket.leave();
    }
  }
}
