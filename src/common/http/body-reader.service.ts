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
import { declaredBytes, SMALL_BODY } from './unread-body.js';

const MiB = 1024 ** 2;

/** Maximum size of the request body that a handler accepts, in bytes. Defaults to 1 MiB. */
export const BodyLimit = Reflector.createDecorator<number | undefined>();

/**
 * Maximum total size of the bodies in memory, in bytes. Small bodies are not counted. A parsed body takes several times as much
 * memory.
 */
const MAX_HELD = 64 * MiB;
const MAX_HELD_OF_CALLER = 16 * MiB;
const MAX_HELD_OF_COMPANY = 32 * MiB;
/** Memory share for the bodies of rejected callers. */
const REFUSED: Share = { key: 'refused', limit: 4 * MiB };

/** Reads JSON bodies and limits their total memory. */
@Injectable()
export class BodyReaderService {
  private readonly limits = new WeakMap<object, number | null>();
  private readonly shares = new FairShares(MAX_HELD);

  constructor(private readonly reflector: Reflector) {}

  /** Size of the larger bodies that are in memory or being received, in bytes. */
  get heldBytes(): number {
    return this.shares.usedTotal;
  }

  /** Returns the maximum size of the handler's request body, or undefined if the handler takes no body. */
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
   * Returns the body of a caller's request. Waits while too much memory is in use. The memory is released when the response ends.
   *
   * @throws TooManyRequests, and the errors of {@link readBody}
   */
  async read(request: AuthenticatedRequest, response: ServerResponse, limit: number): Promise<Json | undefined> {
    assertLength(request, limit);
    const bytes = declaredBytes(request) ?? limit;
    if (bytes > SMALL_BODY && request.caller !== undefined) {
      const shares = sharesOf(request.caller, { caller: MAX_HELD_OF_CALLER, company: MAX_HELD_OF_COMPANY });
      // The `close` event has already fired and will not fire again.
      if (response.closed) throw new BadRequest('body_cut_off', 'The request body is incomplete');
      const ticket = this.shares.take(bytes, shares);
      response.once('close', () => ticket.leave());
      await ticket.granted;
    }
    return await readBody(request, limit);
  }

  /**
   * Checks the syntax of a small body even though its caller is rejected, because a syntax error takes precedence in the
   * documented interface. Larger bodies and bodies of unknown length stay unread.
   *
   * @throws the errors of {@link readBody}
   */
  async checkSyntax(context: ExecutionContext): Promise<void> {
    const limit = this.limitOf(context);
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    const bytes = declaredBytes(request);
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
