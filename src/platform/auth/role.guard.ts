import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { companyLevel } from './company-level.js';
import { type AuthenticatedRequest, CompanyLevelOnly } from './decorators.js';

/** Lets only company-level callers use routes marked {@link CompanyLevel}. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const targets = [context.getHandler(), context.getClass()];
    if (caller !== undefined && this.reflector.getAllAndOverride(CompanyLevelOnly, targets) === true) {
      companyLevel(caller);
    }
    return true;
  }
}
