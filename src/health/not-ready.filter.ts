import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { reportFailure } from '../common/logging/request-log.js';
import type { ReadinessResponse } from './health.dto.js';

/** Thrown if this process should get no requests. */
export class NotReady extends Error {
  constructor(readonly readiness: ReadinessResponse) {
    super('The process is not ready');
  }
}

/** Returns 503 in the same format as a successful response, because monitors parse a single format. */
@Catch(NotReady)
export class NotReadyFilter implements ExceptionFilter<NotReady> {
  catch(error: NotReady, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    reportFailure(response, error);
    response.status(503).json(error.readiness);
  }
}
