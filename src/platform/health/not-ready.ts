import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { ReadinessResponse } from './health.dto.js';

/** No requests should come to this process. */
export class NotReady extends Error {
  constructor(readonly readiness: ReadinessResponse) {
    super('The process is not ready');
  }
}

/** Answers 503 with what is wrong in the form of the success, as monitors read one form only. */
@Catch(NotReady)
export class NotReadyFilter implements ExceptionFilter<NotReady> {
  catch({ readiness }: NotReady, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(503).json(readiness);
  }
}
