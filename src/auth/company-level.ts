import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Forbidden } from '../common/errors/errors.js';
import { callerOf } from './decorators.js';
import type { Principal } from './principal.js';

/**
 * A caller whose company-level rights were looked at. Services ask for it where a change is the company's to make, so
 * that what an agent's tool holds, a plain {@link Principal}, does not compile there.
 */
export type CompanyPrincipal = Principal & {
  readonly kind: Exclude<Principal['kind'], 'agent'>;
  readonly role: 'company';
};

/** The caller as one with company-level rights; never the agent. @throws Forbidden */
export function companyLevel(caller: Principal): CompanyPrincipal {
  if (!caller.isCompanyLevel)
    throw new Forbidden('company_level_required', 'This operation is for company-level callers only');
  return caller as CompanyPrincipal;
}

/** The caller of a route for company-level callers. */
export const CompanyCaller = createParamDecorator((_: unknown, context: ExecutionContext): CompanyPrincipal =>
  companyLevel(callerOf(context)),
);
