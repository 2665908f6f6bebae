import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Config } from '../../config/config.js';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { Unavailable } from '../errors/errors.js';
import { onceAnswered } from '../http/answered.js';
import { BodyReaderService } from '../http/body-reader.service.js';
import { MetricsService } from '../metrics/metrics.service.js';
import { FairShares } from './fair-shares.js';
import { sharesOf } from './limits.js';

/** Marks a route whose answers stay open, such as an event stream: they are limited by number, not by share. */
export const StaysOpen = Reflector.createDecorator<void, boolean>({ transform: () => true });

/**
 * Lets a caller and a company have so many requests in progress: from here until the work is done and the answer is taken.
 * Further ones wait for their turn. Whatever the work of a request is, most of the database's connections stay free for
 * others; only reads of a moment share theirs. A client that goes away ends its place in the queue, and work that has begun
 * keeps its share.
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
        { name: 'pws_requests_in_progress', help: 'Requests of callers that are being served' },
        { name: 'pws_requests_waiting', help: 'Requests that wait because their caller or company has its share' },
        { name: 'pws_body_bytes_held', help: 'Bytes of larger JSON bodies that are held or on their way' },
      ],
      () => ({
        pws_requests_in_progress: this.shares.taken,
        pws_requests_waiting: this.shares.waiting,
        pws_body_bytes_held: bodies.held,
      }),
    );
  }

  /** @throws TooManyRequests when no place comes in time; Unavailable when the client has gone before */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (caller === undefined || this.reflector.get(StaysOpen, context.getHandler()) === true) return true;
    const response = http.getResponse<ServerResponse>();
    // It has closed already and will not do so again.
    if (response.closed) throw new Unavailable();
    const ticket = this.shares.take(1, sharesOf(caller, this.limits));
    let isAtWork = ticket.granted === undefined;
    response.once('close', () => {
      // A cut answer has no end.
      if (!isAtWork || response.headersSent) ticket.leave();
    });
    onceAnswered(response, () => {
      isAtWork = false;
      if (response.closed) ticket.leave();
    });
    return ticket.granted?.then(() => (isAtWork = true)) ?? true;
  }
}
