import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Credentials } from '../auth/credentials.service.js';
import type { AuthenticatedRequest } from '../auth/decorators.js';
import { BodyReader } from './body-reader.service.js';

/** A body that takes longer is followed by another look at the credential. */
const SLOW_MS = 100;

/**
 * Reads the body for a handler that has a `@Body()`; uploads stream past. A guard stands between authentication and the
 * checks of values, and knows the handler. A credential that ends while the body comes is none any more.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly bodies: BodyReader,
    private readonly credentials: Credentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.bodies.limitOf(context);
    if (limit === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const began = performance.now();
    request.body = await this.bodies.read(request, http.getResponse<ServerResponse>(), limit);
    if (request.caller !== undefined && performance.now() - began > SLOW_MS) {
      request.caller = await this.credentials.authenticate(request.headers.authorization);
    }
    return true;
  }
}
