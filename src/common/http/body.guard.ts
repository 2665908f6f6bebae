import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { BodyReaderService } from './body-reader.service.js';

/**
 * Reads the body for a handler with a `@Body()` parameter. Uploads are streamed instead. This is a guard because it must run
 * after authentication and before validation, and must know the handler.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly bodies: BodyReaderService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.bodies.limitOf(context);
    if (limit === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    request.body = await this.bodies.read(request, http.getResponse<ServerResponse>(), limit);
    return true;
  }
}
