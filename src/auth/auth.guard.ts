import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { NotAuthenticated } from '../common/errors/errors.js';
import { BodyReaderService } from '../common/http/body-reader.service.js';
import { UnauthenticatedLimitService } from '../common/throttling/unauthenticated-limit.service.js';
import { CredentialsService } from './credentials.service.js';
import { type AuthenticatedRequest, Public } from './decorators.js';

/**
 * Rejects requests without a valid bearer credential, except on routes marked {@link Public}. A rejection is counted first. Then
 * the syntax of a small body is checked, because a syntax error takes precedence over the 401.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: CredentialsService,
    private readonly unauthenticatedLimit: UnauthenticatedLimitService,
    private readonly bodies: BodyReaderService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride(Public, [context.getHandler(), context.getClass()]) === true) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    try {
      request.caller = await this.credentials.authenticate(request.headers.authorization);
      request.authenticatedAt = performance.now();
    } catch (error) {
      if (!(error instanceof NotAuthenticated)) throw error;
      await this.unauthenticatedLimit.count(request.ip);
      await this.bodies.checkSyntax(context);
      throw error;
    }
    return true;
  }
}
