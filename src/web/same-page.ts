import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** How this computer names itself; any other name may be somebody's who lets it lead here. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;
/** What proxies add: behind one, the connection says nothing about who asks. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** A request, as far as it says where it comes from. */
export interface Asked {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Whether a browser on this computer sends a request for a page that this process itself has served: the connection is from
 * here and not a proxy's, the address that the browser shows is this computer's, and the browser, whose word no page can
 * change, says that no other site asks.
 */
export function isOfOwnPage({ headers, socket: { remoteAddress = '' } }: Asked): boolean {
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
