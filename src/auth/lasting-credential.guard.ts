import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CredentialsService } from './credentials.service.js';
import type { AuthenticatedRequest } from './decorators.js';

/** What comes sooner after the first look at the credential needs no second one. */
const SOON_MS = 100;

/** Stands behind what waits for the client: a credential that has ended while its body came is none any more. */
@Injectable()
export class LastingCredentialGuard implements CanActivate {
  constructor(private readonly credentials: CredentialsService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { authenticatedAt } = request;
    const isLate = authenticatedAt !== undefined && performance.now() > authenticatedAt + SOON_MS;
    return !isLate || this.lookAgain(request);
  }

  private async lookAgain(request: AuthenticatedRequest): Promise<true> {
    request.caller = await this.credentials.authenticate(request.headers.authorization);
    return true;
  }
}
