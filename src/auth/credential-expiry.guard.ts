import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CredentialsService } from './credentials.service.js';
import type { AuthenticatedRequest } from './decorators.js';

/** Time after authentication during which the credential need not be checked again, in milliseconds. */
const SOON_MS = 100;

/** Runs after the body was read and rejects credentials that expired in the meantime. */
@Injectable()
export class CredentialExpiryGuard implements CanActivate {
  constructor(private readonly credentials: CredentialsService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { authenticatedAt } = request;
    const isLate = authenticatedAt !== undefined && performance.now() > authenticatedAt + SOON_MS;
    return !isLate || this.reauthenticate(request);
  }

  private async reauthenticate(request: AuthenticatedRequest): Promise<true> {
    request.caller = await this.credentials.authenticate(request.headers.authorization);
    return true;
  }
}
