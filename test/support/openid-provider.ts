import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';

/** OpenID provider for services that accept its tokens. Publishes a key set over HTTP and signs tokens. */
export class OpenIdProvider {
  readonly issuer = 'https://id.example.com/';
  readonly audience = 'project-workspace';
  /** Number of requests for the key set. */
  asked = 0;
  /** Response to requests for the key set. */
  mood: 'answers' | 'fails' | 'hangs' = 'answers';
  private readonly published = new Map<string, JWK>();
  private readonly signers = new Map<string, CryptoKey>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OpenIdProvider> {
    const server = createServer();
    const provider = new OpenIdProvider(server);
    server.on('request', (_, response) => {
      provider.asked += 1;
      if (provider.mood === 'hangs') return;
      response.statusCode = provider.mood === 'fails' ? 502 : 200;
      response.end(JSON.stringify({ keys: [...provider.published.values()] }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  /** Creates a key and, by default, publishes it. Returns the public key as PEM. */
  async addKey(kid: string, alg: 'RS256' | 'ES256' = 'ES256', isPublished = true): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    this.signers.set(kid, privateKey);
    if (isPublished) this.published.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
    return await exportSPKI(publicKey);
  }

  withdrawKey(kid: string): void {
    this.published.delete(kid);
  }

  /** Returns a token that is valid unless the given claims make it invalid. */
  async sign(kid: string, claims: Record<string, unknown>): Promise<string> {
    const key = this.signers.get(kid);
    if (key === undefined) throw new Error(`There is no key ${kid}`);
    const now = Math.floor(Date.now() / 1000);
    return await new SignJWT({ iss: this.issuer, aud: this.audience, iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: key.algorithm.name === 'ECDSA' ? 'ES256' : 'RS256', kid })
      .sign(key);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
