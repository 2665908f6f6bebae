import { describe, expect, it } from '@jest/globals';
import { Principal } from '../../auth/principal.js';
import { keyOfAddress, keyOfCaller } from './limits.js';

const caller = (company_id: string, user_id: string): Principal =>
  Principal.user({
    company_id,
    user_id,
    role: 'member',
    user_name: user_id,
    user_email: null,
    user_avatar_url: null,
    expires_at: null,
  });

describe('the rate limiter', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:2::', '2001:db8:1:2'],
    ['2001:db8::5:6:7:8:9', '2001:db8:0:5'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('counts requests from address %s under %s', (address, key) =>
    expect(keyOfAddress(address)).toBe(`address ${key}`),
  );

  it('counts requests per user and company, regardless of the token', () => {
    expect(keyOfCaller(caller('a', 'b'))).toBe(keyOfCaller(caller('a', 'b')));
    const others = [
      caller('a', 'b'),
      caller('a', 'c'),
      caller('c', 'b'),
      caller('a","b', ''),
      caller('x'.repeat(200), 'b'),
    ];
    expect(new Set(others.map(keyOfCaller)).size).toBe(others.length);
    for (const key of others.map(keyOfCaller)) expect(key.length).toBeLessThanOrEqual(100);
  });
});
