import { availableParallelism } from 'node:os';
import { Settings } from './settings.js';

/** The parts of a text that commas separate. */
const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Pages that somebody develops on this computer. */
const OWN_ORIGINS = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Where objects are kept, and how clients reach it. */
export interface S3Settings {
  endpoint: string;
  publicEndpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/** How people sign in on the page at an OpenID provider. */
export interface PageSignIn {
  issuer: string;
  client_id: string;
  scope: string;
  /** The service's name at the provider, which tokens have to be for. */
  audience: string;
}

/** The OpenID provider whose tokens are taken, and where they say what. */
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
 * The settings, and what several of them say together.
 *
 * Injected by class. Values are validated once by `loadConfig`; nothing else reads the environment.
 */
export class Config extends Settings {
  /** True when the service brings its own PostgreSQL. */
  get embedded(): boolean {
    return this.DATABASE_URL === undefined;
  }

  /** Whether the language model is given images. */
  get agentImages(): boolean {
    return this.AGENT_IMAGES ?? (this.AGENT_PROVIDER === 'anthropic' || this.AGENT_PROVIDER === 'openai');
  }

  /** How many solves this process runs at once. */
  get solvesAtOnce(): number {
    return this.SOLVES_CONCURRENCY ?? Math.max(1, availableParallelism() - 1);
  }

  /** Origins beside the page's own that signed file URLs lead to. */
  get fileOrigins(): string[] {
    const urls = [this.PUBLIC_URL, this.s3?.publicEndpoint].filter((url) => url !== undefined);
    return [...new Set(urls.map((url) => new URL(url).origin))];
  }

  /** Connections of clients; those of one address are a proxy's where there are proxies. */
  get connectionLimits(): { connections: number; connectionsOfAddress?: number; keepAliveSeconds: number } {
    const { MAX_CONNECTIONS: connections, KEEP_ALIVE_SECONDS: keepAliveSeconds } = this;
    const limits = { connections, keepAliveSeconds };
    return this.TRUSTED_PROXIES > 0 ? limits : { ...limits, connectionsOfAddress: Math.ceil(connections / 2) };
  }

  /** How many requests of a caller and of a company are served at once: parts of the connections to the database. */
  get requestsInProgress(): { caller: number; company: number } {
    const part = (share: number): number => Math.max(1, Math.floor(this.DATABASE_POOL_SIZE * share));
    return { caller: part(0.4), company: part(0.6) };
  }

  /** The OpenID provider; undefined when there is none. */
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

  /** How people sign in on the page at the provider; undefined where they do not. */
  get pageSignIn(): PageSignIn | undefined {
    const { WEB_CLIENT_ID: client_id, WEB_SCOPE: scope, AUTH_ISSUER: issuer = '', AUTH_AUDIENCE: audience = '' } = this;
    return client_id === undefined ? undefined : { issuer, client_id, scope, audience };
  }

  /** Other origins that the page may ask: those of signed file URLs, and the provider. */
  get pageMayAsk(): string[] {
    const { fileOrigins, pageSignIn } = this;
    return pageSignIn === undefined ? fileOrigins : [...fileOrigins, new URL(pageSignIn.issuer).origin];
  }

  /** Which addresses webhooks may have beside those of the internet. */
  get webhookAddresses(): { loopback: boolean } {
    return { loopback: this.WEBHOOKS_LOOPBACK ?? this.embedded };
  }

  /** Origins whose pages may read answers. */
  get corsOrigins(): (string | RegExp)[] | '*' {
    const { CORS_ORIGINS = this.embedded ? undefined : 'none' } = this;
    if (CORS_ORIGINS === undefined) return [OWN_ORIGINS];
    if (CORS_ORIGINS === '*') return '*';
    return CORS_ORIGINS === 'none' ? [] : list(CORS_ORIGINS);
  }

  /** The S3 server that keeps the files; undefined when they are on the disk. */
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
