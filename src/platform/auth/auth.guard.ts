import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { NotAuthenticated } from '../errors/errors.js';
import { companyLevel } from './company-level.js';
import { Credentials } from './credentials.service.js';
import { type AuthenticatedRequest, CompanyLevelOnly, Public } from './decorators.js';

/**
 * Lets nobody in without a valid bearer credential, except on routes marked {@link Public}, and only company-level callers
 * on routes marked {@link CompanyLevel}.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, targets) === true) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.credentials.verify(bearerCredential(request.headers.authorization));
    if (caller === null) throw new NotAuthenticated('Invalid authentication credentials');
    if (this.reflector.getAllAndOverride(CompanyLevelOnly, targets) === true) companyLevel(caller);
    request.caller = caller;
    return true;
  }
}

/** What follows `Bearer`; the scheme is compared without case, as FastAPI's HTTPBearer does. */
function bearerCredential(header: string | undefined): string {
  const [, scheme, credential] = /^(\S*) ?(.*)$/s.exec(header ?? '') ?? [];
  if (scheme?.toLowerCase() !== 'bearer' || credential === undefined || credential.trim() === '') {
    throw new NotAuthenticated('Not authenticated');
  }
  return credential.trim();
}
