import { describe, expect, it } from '@jest/globals';
import { type RequestOrigin, isOfOwnPage } from './same-page.js';

const own = (headers: Record<string, string | undefined> = {}, remoteAddress = '127.0.0.1'): RequestOrigin => ({
  headers: { host: 'localhost:3000', origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin', ...headers },
  socket: { remoteAddress },
});
const at = (host: string): Record<string, string> => ({ host, origin: `http://${host}` });

describe('isOfOwnPage', () => {
  it.each([
    ['localhost', own()],
    ['an IPv4 address', own(at('127.0.0.1:3000'))],
    ['an IPv6 address', own(at('[::1]:3000'), '::1')],
    ['no port', own(at('localhost'))],
    ['a dual-stack socket', own({}, '::ffff:127.0.0.1')],
  ])('accepts a request from the page itself: %s', (_, asked) => expect(isOfOwnPage(asked)).toBe(true));

  it.each([
    ['from another computer', own({}, '192.168.1.7')],
    ['from another computer over IPv6', own({}, '2001:db8::7')],
    ['without a remote address', own({}, '')],
    ['to another host name that resolves to this computer', own(at('rebound.evil.example:3000'))],
    ['to a host name that begins with localhost', own(at('localhost.evil.example:3000'))],
    ['to a subdomain of localhost', own(at('evil.localhost:3000'))],
    ['to an address in the local network', own(at('192.168.1.5:3000'))],
    ['without a Host header', own({ host: undefined })],
    ['from another site', own({ 'sec-fetch-site': 'cross-site' })],
    ['from a page on another port', own({ origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' })],
    ['from a page on another port with a forged Sec-Fetch-Site header', own({ origin: 'http://localhost:5173' })],
    ['for an address typed into the address bar', own({ 'sec-fetch-site': 'none' })],
    ['from a client that is not a browser', own({ 'sec-fetch-site': undefined })],
    ['from a page with an opaque origin', own({ origin: 'null' })],
    ['without an Origin header', own({ origin: undefined })],
    ['from a page served over https', own({ origin: 'https://localhost:3000' })],
    ['through a proxy', own({ 'x-forwarded-for': '203.0.113.9' })],
    ['through a proxy that sends only Forwarded', own({ forwarded: 'for=203.0.113.9' })],
    ['through a proxy that sends only Via', own({ via: '1.1 proxy' })],
    ['through a proxy that sends only X-Forwarded-Host', own({ 'x-forwarded-host': 'planner.example.com' })],
  ])('rejects a request %s', (_, asked) => expect(isOfOwnPage(asked)).toBe(false));
});
