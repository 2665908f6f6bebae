import type { ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import type { Request } from 'express';
import { routingError } from '../http/routing.js';
import { abandonBody } from '../http/unread-body.js';
import { reportFailure } from '../logging/request-log.js';
import { DomainError } from './errors.js';
import { faultAnswer } from './faults.js';

/** Sends the response for every error. Server errors are also logged with the request. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<ServerResponse>();
    if (response.headersSent) {
      // The status was already sent. Only closing the connection can show that the response is incomplete.
      reportFailure(response, asError(exception));
      response.destroy();
      return;
    }
    const answer = exception instanceof DomainError ? exception : answerTo(exception, request);
    // Logged with the request, under the id that the client sees in X-Request-Id.
    if (!response.closed && (answer.status >= 500 || faultAnswer(exception)))
      reportFailure(response, asError(exception));
    // Removes headers that describe the content that was never sent. The content security policy stays.
    for (const name of response.getHeaderNames())
      if (name.startsWith('content-') && name !== 'content-security-policy') response.removeHeader(name);
    abandonBody(request, response);
    response.statusCode = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    const body = answer.body();
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  }
}

function answerTo(exception: unknown, request: Request): DomainError {
  // Only the framework's router throws NotFoundException. Our own code throws NotFound.
  if (exception instanceof NotFoundException) return routingError(request);
  // A path parameter is not valid percent-encoding.
  if (exception instanceof BadRequestException && exception.cause instanceof URIError) return routingError(request);
  if (exception instanceof HttpException) return frameworkError(exception);
  return faultAnswer(exception) ?? new DomainError('internal_error', 'Internal Server Error');
}

/** Converts an error that the framework raised, keeping its message. */
function frameworkError(exception: HttpException): DomainError {
  const status = exception.getStatus();
  return new DomainError(status < 500 ? 'request_refused' : 'internal_error', exception.message, {}, status);
}

const asError = (exception: unknown): Error =>
  exception instanceof Error ? exception : new Error('A value that is not an error was thrown', { cause: exception });
