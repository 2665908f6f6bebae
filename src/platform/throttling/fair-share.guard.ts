import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Config } from '../../config/config.js';
import type { AuthenticatedRequest } from '../auth/decorators.js';
import { Metrics } from '../metrics/metrics.service.js';
import { FairShares } from './fair-shares.js';
import { sharesOf } from './limits.js';

/** Marks a route whose answers stay open, such as an event stream: they are limited by number, not by share. */
export const StaysOpen = Reflector.createDecorator<void, boolean>({ transform: () => true });

/**
 * Lets a caller and a company have so many requests in progress, counted from here until the answer is taken; further
 * ones wait for their turn. Whatever the work of a request is, most of the database's connections stay free for others.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly shares = new FairShares(Infinity);
  private readonly limits: { caller: number; company: number };

  constructor(
    private readonly reflector: Reflector,
    config: Config,
    metrics: Metrics,
  ) {
    this.limits = config.requestsInProgress;
    metrics.gauges(
      [
        { name: 'pws_requests_in_progress', help: 'Requests of callers that are being served' },
        { name: 'pws_requests_waiting', help: 'Requests that wait because their caller or company has its share' },
      ],
      () => ({ pws_requests_in_progress: this.shares.taken, pws_requests_waiting: this.shares.waiting }),
    );
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (caller === undefined || this.reflector.get(StaysOpen, context.getHandler()) === true) return true;
    const ticket = this.shares.take(1, sharesOf(caller, this.limits));
    http.getResponse<ServerResponse>().once('close', () => ticket.leave());
    return ticket.granted?.then(() => true) ?? true;
  }
}
