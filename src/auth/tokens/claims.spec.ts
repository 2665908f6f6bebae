import { describe, expect, it } from '@jest/globals';
import { type ClaimMapping, readClaims } from './claims.js';

const MAPPING: ClaimMapping = {
  names: {
    user_id: 'sub',
    company_id: 'https://a.b/c',
    role: 'x.roles',
    name: 'name',
    email: 'email',
    picture: 'picture',
  },
  roles: { company: ['admin'] },
};
const CLAIMS = { sub: 'ada', 'https://a.b/c': 'acme', iat: 1_700_000_000 };

describe('readClaims', () => {
  it('reads claims by name, including names with dots, and by path', () => {
    expect(
      readClaims({ ...CLAIMS, x: { roles: ['other', 'admin'] }, name: 'Ada', picture: 'https://a.b/p' }, MAPPING),
    ).toEqual({
      company_id: 'acme',
      id: 'ada',
      display_name: 'Ada',
      email: null,
      avatar_url: 'https://a.b/p',
      role: 'company',
      token_issued_at: new Date(1_700_000_000_000),
    });
    expect(readClaims({ ...CLAIMS, 'x.roles': 'admin' }, MAPPING)?.role).toBe('company');
  });

  it('uses the e-mail address, or else the user id, as the name of a user without a name', () => {
    expect(readClaims({ ...CLAIMS, name: '', email: 'a@b.c' }, MAPPING)).toMatchObject({ display_name: 'a@b.c' });
    expect(readClaims({ ...CLAIMS, name: 7, email: 'a\0b' }, MAPPING)).toMatchObject({
      display_name: 'ada',
      email: null,
    });
  });

  it.each([
    ['http://a.b/ada.png', true],
    ['HTTPS://a.b/ada.png?size=9#x', true],
    ['javascript:alert(1)', false],
    [' https://a.b/ada.png', false],
    ['java\nscript://https://a.b', false],
    ['data:image/svg+xml,<svg/>', false],
    ['//a.b/ada.png', false],
    ['/ada.png', false],
    ['https:', false],
    [`https://a.b/${'x'.repeat(2_000)}`, false],
    [{ url: 'https://a.b' }, false],
  ])('accepts the picture %j only if it is an http or https URL', (picture, isTaken) => {
    expect(readClaims({ ...CLAIMS, picture }, MAPPING)?.avatar_url).toBe(isTaken ? picture : null);
  });

  it.each<[string, object]>([
    ['no user', { sub: undefined }],
    ['a user id that cannot be stored', { sub: 'a\ud800' }],
    ['a user id that is too long', { sub: 'a'.repeat(201) }],
    ['no company', { 'https://a.b/c': undefined }],
    ['a company id that is not a string', { 'https://a.b/c': { id: 'acme' } }],
  ])('rejects a token with %s', (_, change) => {
    expect(readClaims({ ...CLAIMS, ...change }, MAPPING)).toBeNull();
  });

  it.each([
    [['admin'], undefined, 'company'],
    ['admin', undefined, 'company'],
    ['administrator', undefined, 'member'],
    [undefined, undefined, 'member'],
    [{ admin: true }, undefined, 'member'],
    [['admin', 'user'], ['user'], 'company'],
    [['user'], ['user'], 'member'],
    [['other'], ['user'], undefined],
    [undefined, ['user'], undefined],
    [undefined, ['user', undefined], 'member'],
    [null, ['user', undefined], undefined],
  ])('maps the role %j with member roles %j to %s', (roles, member, role) => {
    const mapping = { ...MAPPING, roles: { company: ['admin'], ...(member !== undefined && { member }) } };
    expect(readClaims({ ...CLAIMS, x: { roles } }, mapping)?.role).toBe(role);
  });

  it('replaces an issue time before 1970 with the start of 1970', () => {
    expect(readClaims({ ...CLAIMS, iat: -1e300 }, MAPPING)?.token_issued_at).toEqual(new Date(0));
  });

  it('caps issue times in the future and ignores inherited properties', () => {
    const issued = readClaims({ ...CLAIMS, iat: 99_999_999_999 }, MAPPING)?.token_issued_at.getTime() ?? Infinity;
    expect(issued).toBeLessThanOrEqual(Date.now());
    const names = { ...MAPPING.names, name: 'x.constructor.name', email: 'toString' };
    expect(readClaims({ ...CLAIMS, x: {} }, { ...MAPPING, names })).toMatchObject({ display_name: 'ada', email: null });
  });
});
