import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from './principal.js';

/**
 * Request after authentication. `authenticatedAt` is a time of `performance.now()`. Both fields are missing on public routes.
 */
export type AuthenticatedRequest = Request & { caller?: Principal; authenticatedAt?: number };

/** Opens a route to callers without credentials. */
export const Public = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Metadata of routes marked {@link CompanyLevel}. */
export const CompanyLevelOnly = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Restricts a route to company-level callers and documents this. Other callers get 403. */
export const CompanyLevel = (): MethodDecorator =>
  applyDecorators(CompanyLevelOnly(), ApiExtension('x-required-role', 'company'));

/** Metadata of routes marked {@link ReadAccess}. */
export const NeedsReadAccess = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Opens a route to read-only API keys and documents this, although its method is not GET. The route must not change anything. */
export const ReadAccess = (): MethodDecorator =>
  applyDecorators(NeedsReadAccess(), ApiExtension('x-required-access', 'read'));

/** Returns the authenticated caller of the current request. */
export function callerOf(context: ExecutionContext): Principal {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new Error('A public route has no caller');
  return caller;
}

/** Injects the authenticated caller of a request. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => callerOf(context));
