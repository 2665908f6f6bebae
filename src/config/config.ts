import { availableParallelism } from 'node:os';
import { Settings } from './settings.js';

/** Splits a string at commas. */
const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Origins of pages served from this computer, for development. */
const OWN_ORIGINS = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Object store for the files, with its address for clients. */
export interface S3Settings {
  endpoint: string;
  publicEndpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/** Settings for signing in to the page through an OpenID provider. */
export interface PageSignIn {
  issuer: string;
  client_id: string;
  scope: string;
  /** Audience of the tokens: the service's name at the provider. */
  audience: string;
}

/** OpenID provider whose tokens are accepted, with the names of their claims. */
export interface OidcSettings {
  jwksUrl: string;
  issuer: string;
  audience: string;
  claims: {
    names: Record<'user_id' | 'company_id' | 'role' | 'name' | 'email' | 'picture', string>;
    roles: { company: string[]; member?: string[] };
  };
}

/**
 * Settings, and values derived from several settings.
 *
 * Injected by class. Values are validated once by `loadConfig`. No other code reads the environment.
 */
export class Config extends Settings {
  /** True if the service runs its own PostgreSQL. */
  get embedded(): boolean {
    return this.DATABASE_URL === undefined;
  }

  /** Whether the language model receives images. */
  get agentImages(): boolean {
    return this.AGENT_IMAGES ?? (this.AGENT_PROVIDER === 'anthropic' || this.AGENT_PROVIDER === 'openai');
  }

  /** Number of solves that this process runs concurrently. */
  get maxConcurrentSolves(): number {
    return this.SOLVES_CONCURRENCY ?? Math.max(1, availableParallelism() - 1);
  }

  /** Other origins that signed file URLs point to. */
  get fileOrigins(): string[] {
    const urls = [this.PUBLIC_URL, this.s3?.publicEndpoint].filter((url) => url !== undefined);
    return [...new Set(urls.map((url) => new URL(url).origin))];
  }

  /**
   * Limits on client connections. Behind a proxy, connections are not limited by address, because all of them come from the
   * proxy.
   */
  get connectionLimits(): { connections: number; connectionsOfAddress?: number; keepAliveSeconds: number } {
    const { MAX_CONNECTIONS: connections, KEEP_ALIVE_SECONDS: keepAliveSeconds } = this;
    const limits = { connections, keepAliveSeconds };
    return this.TRUSTED_PROXIES > 0 ? limits : { ...limits, connectionsOfAddress: Math.ceil(connections / 2) };
  }

  /** Maximum number of concurrent requests per caller and per company, as shares of the database connections. */
  get requestsInProgress(): { caller: number; company: number } {
    const part = (share: number): number => Math.max(1, Math.floor(this.DATABASE_POOL_SIZE * share));
    return { caller: part(0.4), company: part(0.6) };
  }

  /** OpenID provider, or undefined if it is not configured. */
  get oidc(): OidcSettings | undefined {
    const { AUTH_JWKS_URL, AUTH_ISSUER = '', AUTH_AUDIENCE = '', AUTH_ROLE_MEMBER } = this;
    if (AUTH_JWKS_URL === undefined) return undefined;
    return {
      jwksUrl: AUTH_JWKS_URL,
      issuer: AUTH_ISSUER,
      audience: AUTH_AUDIENCE,
      claims: {
        names: {
          user_id: this.AUTH_CLAIM_USER_ID,
          company_id: this.AUTH_CLAIM_COMPANY_ID,
          role: this.AUTH_CLAIM_ROLE,
          name: this.AUTH_CLAIM_NAME,
          email: this.AUTH_CLAIM_EMAIL,
          picture: this.AUTH_CLAIM_PICTURE,
        },
        roles: {
          company: list(this.AUTH_ROLE_COMPANY),
          ...(AUTH_ROLE_MEMBER !== undefined && { member: list(AUTH_ROLE_MEMBER) }),
        },
      },
    };
  }

  /** Sign-in settings for the page, or undefined if the page does not use a provider. */
  get pageSignIn(): PageSignIn | undefined {
    const { WEB_CLIENT_ID: client_id, WEB_SCOPE: scope, AUTH_ISSUER: issuer = '', AUTH_AUDIENCE: audience = '' } = this;
    return client_id === undefined ? undefined : { issuer, client_id, scope, audience };
  }

  /** Other origins that the page may send requests to: the origins of signed file URLs and the provider. */
  get pageConnectOrigins(): string[] {
    const { fileOrigins, pageSignIn } = this;
    return pageSignIn === undefined ? fileOrigins : [...fileOrigins, new URL(pageSignIn.issuer).origin];
  }

  /** Addresses that webhooks may use in addition to public addresses. */
  get webhookAddresses(): { loopback: boolean } {
    return { loopback: this.WEBHOOKS_LOOPBACK ?? this.embedded };
  }

  /** Origins whose pages may read responses. */
  get corsOrigins(): (string | RegExp)[] | '*' {
    const { CORS_ORIGINS = this.embedded ? undefined : 'none' } = this;
    if (CORS_ORIGINS === undefined) return [OWN_ORIGINS];
    if (CORS_ORIGINS === '*') return '*';
    return CORS_ORIGINS === 'none' ? [] : list(CORS_ORIGINS);
  }

  /** S3 server that stores the files, or undefined if they are stored on disk. */
  get s3(): S3Settings | undefined {
    const { S3_ENDPOINT, S3_ACCESS_KEY = '', S3_SECRET_KEY = '', S3_BUCKET = '', S3_REGION } = this;
    if (S3_ENDPOINT === undefined) return undefined;
    return {
      endpoint: S3_ENDPOINT,
      publicEndpoint: this.S3_PUBLIC_ENDPOINT ?? S3_ENDPOINT,
      accessKey: S3_ACCESS_KEY,
      secretKey: S3_SECRET_KEY,
      bucket: S3_BUCKET,
      region: S3_REGION,
    };
  }
}
