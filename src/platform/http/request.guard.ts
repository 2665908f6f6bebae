import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { readBody } from './read-body.js';
import { isUnroutable, routingError } from './routing.js';

const MiB = 1024 ** 2;

/** Most bytes of a handler's body, where 1 MiB is not enough. */
export const BodyLimit = Reflector.createDecorator<number | undefined>();

/**
 * What comes between routing and authentication, in the order of FastAPI: paths and methods that only seem to match,
 * then the body's syntax. A guard stands at this very place and knows the handler: the body is read only for one that
 * has a `@Body()`, so that uploads stream past.
 */
@Injectable()
export class RequestGuard implements CanActivate {
  private readonly takesBody = new WeakMap<object, boolean>();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    // Express lets GET handlers answer HEAD, and decodes %2F inside a parameter.
    if (request.method === 'HEAD' || isUnroutable(request)) throw routingError(request);
    if (this.hasBody(context)) {
      request.body = await readBody(request, this.reflector.get(BodyLimit, context.getHandler()) ?? MiB);
    }
    return true;
  }

  private hasBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let known = this.takesBody.get(handler);
    if (known === undefined) {
      const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) as
        object | undefined;
      known = Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
      this.takesBody.set(handler, known);
    }
    return known;
  }
}
