import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { NotAuthenticated } from '../common/errors/errors.js';
import { isKey } from './api-keys/key-text.js';
import { RevocationsChannel } from './api-keys/revocations.channel.js';
import { IdentitiesService } from './identities/identities.service.js';
import { Principal } from './principal.js';
import { TokensService } from './tokens/tokens.service.js';

const CACHED_MS = 5_000;
const CACHED_CREDENTIALS = 10_000;

/** Identifies the caller from a bearer credential, which is a token or an API key. */
@Injectable()
export class CredentialsService implements OnModuleInit {
  /** Credentials verified in the last few seconds, by hash. The hash keeps secrets out of the keys in memory. */
  private readonly verified = new Map<string, { caller: Principal; since: number }>();
  /** Number of revocations received. Detects a revocation that arrives while a key is being read. */
  private revoked = 0;

  constructor(
    private readonly tokens: TokensService,
    private readonly identities: IdentitiesService,
    private readonly apiKeys: ApiKeysService,
    private readonly revocations: RevocationsChannel,
  ) {}

  onModuleInit(): void {
    this.revocations.listen((id) => {
      this.revoked += 1;
      for (const [key, { caller }] of this.verified) {
        if (caller.api_key_id !== null && (id === null || caller.api_key_id === id)) this.verified.delete(key);
      }
    });
  }

  /** Returns the caller authenticated by an `Authorization` header. @throws NotAuthenticated @throws Unavailable */
  async authenticate(header: string | undefined): Promise<Principal> {
    const caller = await this.verify(bearerCredential(header));
    if (caller === null) throw new NotAuthenticated('credentials_invalid');
    return caller;
  }

  /**
   * Returns the caller that a credential identifies, or null if the credential is invalid.
   * @throws Unavailable if it cannot be verified now
   */
  async verify(credential: string): Promise<Principal | null> {
    const key = hash('sha256', credential, 'base64');
    // Uses the monotonic clock, because the time of day may be set back.
    const began = performance.now();
    const cached = this.verified.get(key);
    if (cached !== undefined && began < cached.since + CACHED_MS && !isExpired(cached.caller)) return cached.caller;
    this.verified.delete(key);
    const { revoked } = this;
    const caller = isKey(credential) ? await this.apiKeys.verify(credential) : await this.verifyToken(credential);
    if (caller !== null && revoked === this.revoked) this.keep(key, caller, began);
    return caller;
  }

  private async verifyToken(token: string): Promise<Principal | null> {
    const verified = await this.tokens.verify(token);
    if (verified === null) return null;
    const { user, expires_at } = verified;
    await this.identities.remember(user);
    const {
      company_id,
      role,
      id: user_id,
      display_name: user_name,
      email: user_email,
      avatar_url: user_avatar_url,
    } = user;
    return Principal.user({ company_id, role, user_id, user_name, user_email, user_avatar_url, expires_at });
  }

  private keep(key: string, caller: Principal, began: number): void {
    const [oldest] = this.verified.keys();
    if (this.verified.size >= CACHED_CREDENTIALS && oldest !== undefined) this.verified.delete(oldest);
    this.verified.set(key, { caller, since: began });
  }
}

/** Returns the credential after `Bearer`. The scheme is case-insensitive, as in FastAPI's HTTPBearer. */
function bearerCredential(header = ''): string {
  const space = header.indexOf(' ');
  const scheme = space < 0 ? header : header.slice(0, space);
  const credential = space < 0 ? '' : header.slice(space + 1).trim();
  if (scheme.toLowerCase() !== 'bearer' || credential === '') throw new NotAuthenticated('not_authenticated');
  return credential;
}

const isExpired = ({ expires_at }: Principal): boolean => expires_at !== null && expires_at.getTime() <= Date.now();
