import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

const DATABASE_URL = 'postgres://localhost/test';
const SECRET = 'x'.repeat(32);
const OIDC = {
  AUTH_JWKS_URL: 'https://id.example.com/keys',
  AUTH_ISSUER: 'https://id.example.com/',
  AUTH_AUDIENCE: 'workspace',
};

describe('the authentication configuration', () => {
  it('accepts a secret, a provider, or both', () => {
    expect(loadConfig({ DATABASE_URL, AUTH_JWT_SECRET: SECRET }).oidc).toBeUndefined();
    expect(loadConfig({ DATABASE_URL, ...OIDC }).AUTH_JWT_SECRET).toBeUndefined();
    expect(loadConfig({ DATABASE_URL, AUTH_JWT_SECRET: SECRET, ...OIDC }).oidc?.issuer).toBe(OIDC.AUTH_ISSUER);
    expect(loadConfig({}).oidc).toBeUndefined();
  });

  it('maps the claims and roles in provider tokens', () => {
    expect(loadConfig({ DATABASE_URL, ...OIDC }).oidc?.claims).toEqual({
      names: {
        user_id: 'sub',
        company_id: 'company_id',
        role: 'role',
        name: 'name',
        email: 'email',
        picture: 'picture',
      },
      roles: { company: ['company'] },
    });
    const given = { AUTH_CLAIM_COMPANY_ID: 'https://a.b/c', AUTH_ROLE_COMPANY: 'a, b', AUTH_ROLE_MEMBER: 'c,' };
    expect(loadConfig({ DATABASE_URL, ...OIDC, ...given }).oidc?.claims).toMatchObject({
      names: { company_id: 'https://a.b/c' },
      roles: { company: ['a', 'b'], member: ['c'] },
    });
  });

  it('enables sign-in on the page and requests to the provider only if WEB_CLIENT_ID is set', () => {
    expect(loadConfig({ DATABASE_URL, ...OIDC })).toMatchObject({ pageSignIn: undefined, pageConnectOrigins: [] });
    expect(loadConfig({ DATABASE_URL, ...OIDC, WEB_CLIENT_ID: 'page' })).toMatchObject({
      pageSignIn: {
        issuer: OIDC.AUTH_ISSUER,
        client_id: 'page',
        scope: 'openid profile email',
        audience: OIDC.AUTH_AUDIENCE,
      },
      pageConnectOrigins: ['https://id.example.com'],
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ DATABASE_URL }, 'AUTH_JWT_SECRET or AUTH_JWKS_URL is required with DATABASE_URL'],
    [{ ...OIDC, AUTH_ISSUER: '' }, 'AUTH_ISSUER is required with AUTH_JWKS_URL'],
    [{ ...OIDC, AUTH_AUDIENCE: '' }, 'AUTH_AUDIENCE is required with AUTH_JWKS_URL'],
    [{ ...OIDC, AUTH_JWKS_URL: 'id.example.com' }, 'AUTH_JWKS_URL must be a URL address'],
    [{ ...OIDC, AUTH_ISSUER: 'workspace', WEB_CLIENT_ID: 'page' }, 'AUTH_ISSUER must be a URL if WEB_CLIENT_ID is set'],
    [{ WEB_CLIENT_ID: 'page' }, 'WEB_CLIENT_ID requires AUTH_JWKS_URL'],
    [{ AUTH_AUDIENCE: 'workspace' }, 'AUTH_AUDIENCE requires AUTH_JWKS_URL'],
    [{ AUTH_CLAIM_ROLE: 'roles' }, 'AUTH_CLAIM_ROLE requires AUTH_JWKS_URL'],
    [{ AUTH_ROLE_MEMBER: 'user' }, 'AUTH_ROLE_MEMBER requires AUTH_JWKS_URL'],
  ])('rejects %j', (settings, problem) => {
    expect(() => loadConfig(settings)).toThrow(problem);
  });
});
