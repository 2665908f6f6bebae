import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Names of this computer. Any other name may belong to an attacker who makes it resolve to this computer. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;
/** Headers added by proxies. Behind a proxy, the connection does not identify the client. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Parts of a request that identify its origin. */
export interface RequestOrigin {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Returns whether a browser on this computer sends a request from a page that this process served. The connection must be local
 * and must not come from a proxy. The address shown in the browser must be this computer's. The browser must report a same-origin
 * request, in a header that pages cannot change.
 */
export function isOfOwnPage({ headers, socket: { remoteAddress = '' } }: RequestOrigin): boolean {
  const { host = '', origin } = headers;
  return (
    ipaddr.isValid(remoteAddress) &&
    ipaddr.process(remoteAddress).range() === 'loopback' &&
    FORWARDING.every((name) => headers[name] === undefined) &&
    LOOPBACK_HOST.test(host) &&
    origin === `http://${host}` &&
    headers['sec-fetch-site'] === 'same-origin'
  );
}
