import type { CorsOptions, CorsOptionsDelegate } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request } from 'express';

/** Origins whose pages may read responses. `*` allows any origin. */
export type Origins = readonly (string | RegExp)[] | '*';

/** Seconds that a browser caches the preflight result. */
const REMEMBERED_S = 600;

const POLICY: CorsOptions = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Baggage',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Last-Event-ID',
    'Range',
    'Traceparent',
    'Tracestate',
    'X-Request-Id',
  ],
  exposedHeaders: [
    ...['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Idempotency-Replayed'],
    ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
    ...['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
  ],
  maxAge: REMEMBERED_S,
};

/**
 * Returns the CORS policy for the API and for signed file URLs. Cookies are not allowed, because access requires a token or a
 * signed URL anyway.
 */
export function crossOrigin(origins: Origins): CorsOptionsDelegate<Request> {
  const policy: CorsOptions = { ...POLICY, origin: origins === '*' ? '*' : [...origins] };
  const none: CorsOptions = { origin: false };
  return (request, decide) => {
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    // Any other OPTIONS request goes to the router, which rejects the method.
    decide(null, request.method === 'OPTIONS' && !isPreflight ? none : policy);
  };
}
