import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Config } from '../../config/config.js';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { Unavailable } from '../errors/errors.js';
import { onceResponded } from '../http/answered.js';
import { BodyReaderService } from '../http/body-reader.service.js';
import { MetricsService } from '../metrics/metrics.service.js';
import { FairShares } from './fair-shares.js';
import { sharesOf } from './limits.js';

/** Marks a route whose responses stay open, such as event streams. The number of open responses has a separate limit. */
export const StaysOpen = Reflector.createDecorator<void, boolean>({ transform: () => true });

/**
 * Limits the concurrent requests of each caller and each company, so that none of them can use all database connections. A
 * request holds its slot from here until its work is done and the client has received the response. Further requests wait in a
 * queue.
 *
 * A client that disconnects loses its place in the queue, but work that has started keeps its slot.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly shares = new FairShares(Infinity);
  private readonly limits: { caller: number; company: number };

  constructor(
    private readonly reflector: Reflector,
    config: Config,
    metrics: MetricsService,
    bodies: BodyReaderService,
  ) {
    this.limits = config.requestsInProgress;
    metrics.gauges(
      [
        { name: 'pws_requests_in_progress', help: 'Authenticated requests in progress' },
        { name: 'pws_requests_waiting', help: 'Requests that wait because their caller or company has used its share' },
        { name: 'pws_body_bytes_held', help: 'Bytes of large JSON bodies that are in memory or being received' },
      ],
      () => ({
        pws_requests_in_progress: this.shares.usedTotal,
        pws_requests_waiting: this.shares.waiting,
        pws_body_bytes_held: bodies.heldBytes,
      }),
    );
  }

  /** @throws TooManyRequests if no slot becomes free in time @throws Unavailable if the client has already disconnected */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (caller === undefined || this.reflector.get(StaysOpen, context.getHandler()) === true) return true;
    const response = http.getResponse<ServerResponse>();
    // The `close` event has already fired and will not fire again.
    if (response.closed) throw new Unavailable();
    const ticket = this.shares.take(1, sharesOf(caller, this.limits));
    let isAtWork = ticket.granted === undefined;
    response.once('close', () => {
      // A response that was cut off never ends, so its handler may never report the end of its work.
      if (!isAtWork || response.headersSent) ticket.leave();
    });
    onceResponded(response, () => {
      isAtWork = false;
      if (response.closed) ticket.leave();
    });
    return ticket.granted?.then(() => (isAtWork = true)) ?? true;
  }
}
