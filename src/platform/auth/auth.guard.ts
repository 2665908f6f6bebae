import { createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Forbidden, NotAuthenticated } from '../errors/errors.js';
import { type AuthenticatedRequest, CompanyLevel, Public } from './decorators.js';
import { IdentitiesService } from './identities.service.js';
import type { Principal } from './principal.js';
import { TokensService } from './tokens.service.js';

const CACHED_MS = 5_000;
const CACHED_CREDENTIALS = 10_000;

/**
 * Lets nobody in without a valid bearer token, except on routes marked {@link Public}, and only company-level callers
 * on routes marked {@link CompanyLevel}.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  /** Verified credentials by hash, so that a secret is never a key in memory, for a few seconds at most. */
  private readonly verified = new Map<string, { caller: Principal; until: number }>();

  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokensService,
    private readonly identities: IdentitiesService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, targets) === true) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.authenticate(bearerToken(request.headers.authorization));
    if (this.reflector.getAllAndOverride(CompanyLevel, targets) === true && !caller.isCompanyLevel) {
      throw new Forbidden('This operation is for company-level callers only');
    }
    request.caller = caller;
    return true;
  }

  private async authenticate(token: string): Promise<Principal> {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = this.verified.get(hash);
    if (known !== undefined && known.until > Date.now()) return known.caller;
    this.verified.delete(hash);
    const caller = await this.tokens.verify(token);
    if (caller?.user_id == null || caller.user_name === null)
      throw new NotAuthenticated('Invalid authentication credentials');
    await this.identities.remember({
      company_id: caller.company_id,
      id: caller.user_id,
      display_name: caller.user_name,
      email: caller.user_email,
      avatar_url: caller.user_avatar_url,
    });
    const [oldest] = this.verified.keys();
    if (this.verified.size >= CACHED_CREDENTIALS && oldest !== undefined) this.verified.delete(oldest);
    this.verified.set(hash, {
      caller,
      until: Math.min(Date.now() + CACHED_MS, caller.expires_at?.getTime() ?? Infinity),
    });
    return caller;
  }
}

/** The token of an `Authorization: Bearer` header; the scheme is compared without case, as FastAPI's HTTPBearer does. */
function bearerToken(header: string | undefined): string {
  const [, scheme, token] = /^(\S*) ?(.*)$/s.exec(header ?? '') ?? [];
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token.trim() === '') {
    throw new NotAuthenticated('Not authenticated');
  }
  return token.trim();
}
