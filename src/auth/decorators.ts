import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from './principal.js';

/** A request as the guard lets it through; without a caller, and a moment by `performance.now()`, on public routes. */
export type AuthenticatedRequest = Request & { caller?: Principal; authenticatedAt?: number };

/** Opens a route to callers without credentials. */
export const Public = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** What the guard finds on routes that are marked {@link CompanyLevel}. */
export const CompanyLevelOnly = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Restricts a route to company-level callers, also in the document; others get 403. */
export const CompanyLevel = (): MethodDecorator =>
  applyDecorators(CompanyLevelOnly(), ApiExtension('x-required-role', 'company'));

/** What the guard finds on routes that are marked {@link ReadAccess}. */
export const NeedsReadAccess = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Opens a route whose method is not GET to API keys that only read, also in the document: it changes nothing. */
export const ReadAccess = (): MethodDecorator =>
  applyDecorators(NeedsReadAccess(), ApiExtension('x-required-access', 'read'));

/** The authenticated caller of the request that is handled. */
export function callerOf(context: ExecutionContext): Principal {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new Error('A public route has no caller');
  return caller;
}

/** The authenticated caller of a request. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => callerOf(context));
