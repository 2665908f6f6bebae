import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

const AUDIENCE = 'project-workspace';
const KID = 'a-key';

/** Parameters of a sign-in, kept until the code is exchanged for tokens. */
interface Asked {
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  nonce: string;
}

/**
 * OpenID provider for a page with the client id `page`. Signs in every visitor as the current `person` and redirects
 * back with a code. A code can be used once and only with its PKCE verifier. Tokens can be refreshed.
 */
export class SignInProvider {
  readonly audience = AUDIENCE;
  readonly client = 'page';
  person: { sub: string; name: string; company_id: string; role: string } | undefined;
  /** Lifetime of access tokens in seconds. */
  lifetime = 600;
  /** Number of token refreshes. */
  renewals = 0;
  /** Whether to reject refreshes, as if the person had signed out everywhere. */
  hasEnded = false;
  private readonly codes = new Map<string, Asked>();
  private readonly refreshTokens = new Set<string>();

  private constructor(
    private readonly server: Server,
    private readonly key: CryptoKey,
    private readonly published: JWK,
  ) {}

  static async start(): Promise<SignInProvider> {
    const server = createServer();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const published = { ...(await exportJWK(publicKey)), kid: KID, alg: 'ES256', use: 'sig' };
    const provider = new SignInProvider(server, privateKey, published);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      provider.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Settings for a service whose page signs in with this provider. */
  get settings(): Record<string, string> {
    return {
      AUTH_JWKS_URL: `${this.url}/keys`,
      AUTH_ISSUER: this.url,
      AUTH_AUDIENCE: this.audience,
      WEB_CLIENT_ID: this.client,
      WEB_SCOPE: 'openid profile offline_access',
    };
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    response.setHeader('access-control-allow-origin', '*');
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return send(200, {
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
          id_token_signing_alg_values_supported: ['ES256'],
        });
      case '/keys':
        return send(200, { keys: [this.published] });
      case '/authorize':
        response.writeHead(302, { location: this.sendBack(url.searchParams) }).end();
        return undefined;
      case '/token': {
        const answer = await this.tokens(new URLSearchParams(await text(request)));
        return answer === undefined ? send(400, { error: 'invalid_grant' }) : send(200, answer);
      }
      default:
        return send(404, {});
    }
  }

  private sendBack(given: URLSearchParams): string {
    const of = (name: string): string => given.get(name) ?? '';
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('state', of('state'));
    if (this.person === undefined) back.searchParams.set('error', 'access_denied');
    else if (of('response_type') === 'code' && of('code_challenge_method') === 'S256' && of('audience') === AUDIENCE) {
      const code = randomUUID();
      const [client_id, redirect_uri, code_challenge, nonce] = [
        of('client_id'),
        of('redirect_uri'),
        of('code_challenge'),
        of('nonce'),
      ];
      this.codes.set(code, { client_id, redirect_uri, code_challenge, nonce });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', 'invalid_request');
    return back.href;
  }

  private async tokens(given: URLSearchParams): Promise<object | undefined> {
    const of = (name: string): string => given.get(name) ?? '';
    if (of('grant_type') === 'refresh_token') {
      if (this.hasEnded || !this.refreshTokens.delete(of('refresh_token'))) return undefined;
      this.renewals += 1;
      return await this.issue();
    }
    const asked = this.codes.get(of('code'));
    this.codes.delete(of('code'));
    const isTheirs =
      asked?.client_id === this.client &&
      of('client_id') === this.client &&
      asked.redirect_uri === of('redirect_uri') &&
      asked.code_challenge === createHash('sha256').update(of('code_verifier')).digest('base64url');
    return isTheirs ? await this.issue(asked.nonce) : undefined;
  }

  private async issue(nonce?: string): Promise<object> {
    const { sub, ...claims } = this.person ?? { sub: 'nobody' };
    const refresh_token = randomUUID();
    this.refreshTokens.add(refresh_token);
    const sign = async (audience: string, more: object): Promise<string> =>
      await new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg: 'ES256', kid: KID })
        .setIssuer(this.url)
        .setSubject(sub)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + this.lifetime)
        .sign(this.key);
    return {
      access_token: await sign(this.audience, {}),
      id_token: await sign(this.client, nonce === undefined ? {} : { nonce }),
      refresh_token,
      token_type: 'Bearer',
      expires_in: this.lifetime,
    };
  }
}
