import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { companyLevel } from './company-level.js';
import { Forbidden } from '../common/errors/errors.js';
import { type AuthenticatedRequest, CompanyLevelOnly, NeedsReadAccess } from './decorators.js';

/** Restricts routes marked {@link CompanyLevel} to company-level callers, and read-only keys to routes that change nothing. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, method } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const targets = [context.getHandler(), context.getClass()];
    if (caller !== undefined && this.reflector.getAllAndOverride(CompanyLevelOnly, targets) === true) {
      companyLevel(caller);
    }
    if (caller?.access === 'read' && method !== 'GET' && method !== 'HEAD') {
      if (this.reflector.getAllAndOverride(NeedsReadAccess, targets) !== true) {
        throw new Forbidden('api_key_reads_only', 'This API key is read-only');
      }
    }
    return true;
  }
}
