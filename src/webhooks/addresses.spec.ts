import { describe, expect, it } from '@jest/globals';
import { isAllowedAddress, urlProblem } from './addresses.js';

const PUBLIC = { loopback: false };

/** Addresses of the local machine, of private networks, and of metadata services that reveal secrets. */
const FORBIDDEN = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '0177.0.0.1', '127.0.0.1.'],
  ...['0', '0.0.0.0', '0.1.2.3', '10.0.0.1', '0xa.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['100.64.0.1', '169.254.1.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]'],
  ...['[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]', '[fc00::1]'],
  ...['[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]', '[5f00::1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'db.internal', 'postgres'],
  ...[
    'metadata.google.internal',
    'nas.home.arpa',
    '168.63.129.16',
    '[::ffff:a83f:8110]',
    '127.0.0.1..',
    'localhost..',
    '１２７.0.0.1',
    '⑫7.0.0.1',
  ],
];

describe('urlProblem', () => {
  it.each(FORBIDDEN)('rejects non-public addresses in any spelling: %s', (host) => {
    expect(FORBIDDEN.length).toBeGreaterThan(40);
    expect(urlProblem(`https://${host}/hook`, PUBLIC)).toBeDefined();
  });

  it.each(['example.com', '8.8.8.8', '1.1.1.1:8443', '[2606:4700::1111]', '[::ffff:8.8.8.8]', 'a.b.example.org.'])(
    'accepts public addresses: %s',
    (host) => {
      expect(urlProblem(`https://${host}/hook?x=1`, PUBLIC)).toBeUndefined();
      expect(urlProblem(`http://${host}/hook`, { loopback: true })).toBe('the URL must start with https://');
    },
  );

  it.each([
    '',
    'x',
    'ftp://example.com',
    'file:///etc/passwd',
    'http://example.com',
    'https://u:p@example.com',
    'https://',
  ])('rejects anything but https URLs without credentials: %j', (url) => {
    expect(urlProblem(url, PUBLIC)).toBeDefined();
  });

  it('accepts loopback addresses only if they are allowed', () => {
    for (const host of ['127.0.0.1:80', 'localhost', '[::1]', '127.1', '[::ffff:127.0.0.1]']) {
      expect(urlProblem(`http://${host}/`, { loopback: true })).toBeUndefined();
      expect(urlProblem(`https://${host}/`, PUBLIC)).toBeDefined();
    }
    for (const host of ['10.0.0.1', '169.254.169.254', '[fe80::1]', '0.0.0.0', 'db.internal']) {
      expect(urlProblem(`https://${host}/`, { loopback: true })).toBeDefined();
      expect(isAllowedAddress(host.replace(/[[\]]/g, ''), { loopback: true })).toBe(false);
    }
  });
});
