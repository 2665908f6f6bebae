import type { NextFunction, Request, Response } from 'express';
import { routeOf } from '../http/route-of.js';
import type { MetricsService } from './metrics.service.js';

/** Measures every request by route, not by path, so that the number of series is bounded. */
export function requestMetrics(metrics: MetricsService) {
  const durations = metrics.histogram({
    name: 'pws_http_request_duration_seconds',
    help: 'Requests by method, route and status; status "aborted" if the client disconnected before the response was complete',
    labels: ['method', 'route', 'status'],
  });
  return (request: Request, response: Response, next: NextFunction): void => {
    const began = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      const labels = { method: request.method, route: routeOf(request), status };
      durations.observe(labels, (performance.now() - began) / 1000);
    });
    next();
  };
}
