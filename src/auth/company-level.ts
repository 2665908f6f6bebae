import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Forbidden } from '../common/errors/errors.js';
import { callerOf } from './decorators.js';
import type { Principal } from './principal.js';

/**
 * Caller whose company-level rights were checked. Services require this type for company-wide changes. An agent's tool has only
 * a plain {@link Principal}, so code that passes it to such a service does not compile.
 */
export type CompanyPrincipal = Principal & {
  readonly kind: Exclude<Principal['kind'], 'agent'>;
  readonly role: 'company';
};

/** Returns the caller with company-level rights, which an agent never has. @throws Forbidden */
export function companyLevel(caller: Principal): CompanyPrincipal {
  if (!caller.isCompanyLevel)
    throw new Forbidden('company_level_required', 'Only company-level callers can use this operation');
  return caller as CompanyPrincipal;
}

/** Injects the caller of a company-level route. */
export const CompanyCaller = createParamDecorator((_: unknown, context: ExecutionContext): CompanyPrincipal =>
  companyLevel(callerOf(context)),
);
