import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { MeResponse } from '../../../src/auth/me.response.js';
import { type Answer, Client, type Wire } from '../../support/client.js';
import { OpenIdProvider } from '../../support/openid-provider.js';
import { removeEnvironment, Service } from '../../support/service.js';

const COMPANY = 'https://example.com/company_id';
const PERSON = {
  sub: 'ada',
  [COMPANY]: 'acme',
  name: 'Ada',
  email: 'ada@example.com',
  picture: 'https://example.com/a',
};

let provider: OpenIdProvider;
let service: Service;
let publicKey: string;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  publicKey = await provider.addKey('first', 'RS256');
  service = await Service.start({
    settings: {
      AUTH_JWKS_URL: provider.jwksUrl,
      AUTH_ISSUER: provider.issuer,
      AUTH_AUDIENCE: provider.audience,
      AUTH_CLAIM_COMPANY_ID: COMPANY,
      AUTH_CLAIM_ROLE: 'realm_access.roles',
      AUTH_ROLE_COMPANY: 'workspace-admin, workspace-owner',
      AUTH_ROLE_MEMBER: 'workspace-user',
    },
  });
});

afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
  await provider.stop();
});

const roles = (...given: string[]): object => ({ realm_access: { roles: given } });
const USER = roles('offline_access', 'workspace-user');
const me = (token: string): Promise<Answer<Wire<MeResponse>>> => new Client(service.url, token).send('GET', '/me');
const statusOf = async (kid: string, claims: object = {}): Promise<number> =>
  (await me(await provider.sign(kid, { ...PERSON, ...USER, ...claims }))).status;

describe('a token from an OpenID provider', () => {
  it('identifies the person by the configured claims', async () => {
    const { body, status } = await me(await provider.sign('first', { ...PERSON, ...USER }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ kind: 'user', company_id: 'acme', role: 'member', user_id: 'ada', user_name: 'Ada' },
      ...{ user_email: 'ada@example.com', user_avatar_url: 'https://example.com/a', api_key_id: null },
    });
    const owner = await me(await provider.sign('first', { ...PERSON, ...roles('workspace-owner', 'x') }));
    expect(owner.body.role).toBe('company');
    const endless = await me(await provider.sign('first', { ...PERSON, ...USER, exp: 1e13 }));
    expect(endless.body.expires_at).toBe('9999-12-31T23:59:59.999Z');
  });

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://id.example.org/' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: ['another-service'] }],
    ['no audience', { aud: undefined }],
    ['an expiry in the past', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['no expiry', { exp: undefined }],
    ['a start of validity in the future', { nbf: Math.floor(Date.now() / 1000) + 300 }],
    ['no company', { [COMPANY]: undefined }],
    ['a company under the default name', { [COMPANY]: undefined, company_id: 'acme' }],
    ['no user', { sub: undefined }],
    ['no known role', roles('offline_access') as Record<string, unknown>],
    ['no role', { realm_access: undefined }],
    ['a role in another claim', { realm_access: undefined, role: 'company' }],
  ])('is rejected with %s', async (_, claims) => {
    expect(await statusOf('first', claims)).toBe(401);
  });

  it('must be signed by the provider with a published key of an allowed type', async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { ...PERSON, ...USER, iss: provider.issuer, aud: provider.audience, exp: now + 600 };
    const pem = new TextEncoder().encode(publicKey);
    const forged = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' });
    expect((await me(await forged.sign(pem))).status).toBe(401);
    expect((await me(new UnsecuredJWT(claims).encode())).status).toBe(401);
    const [, payload] = (await provider.sign('first', { ...PERSON, ...roles('workspace-admin') })).split('.');
    const [header, , signature] = (await provider.sign('first', { ...PERSON, ...USER })).split('.');
    expect((await me([header, payload, signature].join('.'))).status).toBe(401);
  });

  it('is not interchangeable with a token signed with the service’s own secret', async () => {
    const { client } = await service.session({ company: 'acme' });
    expect((await client.send('GET', '/me')).status).toBe(200);
    const own = new SignJWT({ ...PERSON, ...USER, iss: provider.issuer, aud: provider.audience })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setExpirationTime('1h');
    // A token signed with the service's own secret must use the service's default claim names.
    expect((await me(await own.sign(new TextEncoder().encode(service.environment.secret)))).status).toBe(401);
  });
});

describe('npm run token', () => {
  it('prints a token that the service accepts', async () => {
    const given = ['--company', 'acme', '--user', 'eve', '--role', 'company', '--expires', '12h', '--name', 'Eve'];
    const { stdout } = await run(given, service.environment.secret);
    const { status, body } = await me(stdout.trim());
    expect([status, body]).toMatchObject([
      200,
      { company_id: 'acme', user_id: 'eve', role: 'company', user_name: 'Eve' },
    ]);
    expect(Math.abs(new Date(body.expires_at ?? 0).getTime() - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000);
  });

  it.each<[string, string[], string]>([
    ['a missing user', ['--company', 'acme'], '--user is missing'],
    ['an unknown option', ['--compny', 'acme'], "Unknown option '--compny'"],
    ['an unknown role', ['--company', 'a', '--user', 'b', '--role', 'boss'], '--role must be member or company'],
    [
      'an invalid lifetime',
      ['--company', 'a', '--user', 'b', '--expires', '3 years'],
      '--expires must look like 90m, 12h or 30d',
    ],
  ])('exits with an explanation for %s', (_what, given, problem) =>
    expectExplanation(run(given, service.environment.secret), problem),
  );

  it('exits with an explanation if neither the environment nor the data folder has a secret', () =>
    expectExplanation(run(['--company', 'a', '--user', 'b'], ''), 'start the service once, or set AUTH_JWT_SECRET'));
});

/** Checks that a command fails with code 2 and prints the problem and its usage. */
const expectExplanation = async (attempt: Promise<unknown>, problem: string): Promise<void> => {
  const failure: unknown = await attempt.catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) as unknown });
  expect(failure).toMatchObject({ stderr: expect.stringContaining('Usage: ') as unknown });
};

/** Runs the command. If the command fails, rejects with its exit code and output. */
const run = (args: string[], secret: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, [resolve('dist/src/token.js'), ...args], {
    env: { AUTH_JWT_SECRET: secret, DATA_DIR: join(service.environment.dataDir, 'none') },
  });
