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
    ['an address of IPv4', own(at('127.0.0.1:3000'))],
    ['an address of IPv6', own(at('[::1]:3000'), '::1')],
    ['no port', own(at('localhost'))],
    ['a socket for both', own({}, '::ffff:127.0.0.1')],
  ])('accepts a request from the page itself: %s', (_, asked) => expect(isOfOwnPage(asked)).toBe(true));

  it.each([
    ['from another computer', own({}, '192.168.1.7')],
    ['from another computer, by IPv6', own({}, '2001:db8::7')],
    ['from nowhere', own({}, '')],
    ['to a name that leads here', own(at('rebound.evil.example:3000'))],
    ['to a name that begins like this computer', own(at('localhost.evil.example:3000'))],
    ['to a name below localhost', own(at('evil.localhost:3000'))],
    ['to an address of the network', own(at('192.168.1.5:3000'))],
    ['to no host', own({ host: undefined })],
    ['of another site', own({ 'sec-fetch-site': 'cross-site' })],
    ['of another port', own({ origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' })],
    ['of another port that claims to be this one', own({ origin: 'http://localhost:5173' })],
    ['typed into the address bar', own({ 'sec-fetch-site': 'none' })],
    ['of what is no browser', own({ 'sec-fetch-site': undefined })],
    ['of a page without an origin', own({ origin: 'null' })],
    ['without an origin', own({ origin: undefined })],
    ['of a page over https', own({ origin: 'https://localhost:3000' })],
    ['through a proxy', own({ 'x-forwarded-for': '203.0.113.9' })],
    ['through a proxy that says it otherwise', own({ forwarded: 'for=203.0.113.9' })],
    ['through a proxy that hides who asks', own({ via: '1.1 proxy' })],
    ['through a proxy that names the host', own({ 'x-forwarded-host': 'planner.example.com' })],
  ])('rejects a request %s', (_, asked) => expect(isOfOwnPage(asked)).toBe(false));
});
