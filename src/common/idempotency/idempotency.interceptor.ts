import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, from, mergeMap, type Observable } from 'rxjs';
import { type AuthenticatedRequest, callerOf } from '../../auth/decorators.js';
import { Invalid, invalidValue } from '../errors/errors.js';
import { JsonText } from '../http/json-text.js';
import { toJsonText } from '../../../packages/json/index.js';
import { type AnsweringRequest, IdempotencyService } from './idempotency.service.js';
import { AlreadyAnswered } from './keyed-request.js';

/** Request header with the key, and the response header that marks a repeated response. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const REPLAYED = 'Idempotency-Replayed';

/** Maximum length of a key in characters. */
export const MAX_KEY_LENGTH = 255;
export const KEY_PATTERN = `^[!-~]{1,${MAX_KEY_LENGTH}}$`;
const KEY = new RegExp(KEY_PATTERN);

/**
 * Attaches an `Idempotency-Key` to the caller of the request, and repeats the earlier response if it exists. Used by operations
 * that are documented as `idempotent`. Requests without a key pass through.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: IdempotencyService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      const rule = `the key must have 1 to ${MAX_KEY_LENGTH} visible ASCII characters`;
      throw new Invalid([invalidValue(['header', IDEMPOTENCY_KEY], rule, key)]);
    }
    const response = http.getResponse<ServerResponse>();
    const { method, originalUrl: url } = request;
    const body: unknown = request.body;
    const caller = callerOf(context);
    const keyed = await this.idempotency.request({
      caller,
      key,
      method,
      url,
      body: body === undefined ? '' : toJsonText(body),
      status: response.statusCode,
    });
    request.caller = caller.inRequest(keyed);
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        await keyed.answered(answer);
        return answer;
      }),
      catchError((error: unknown) => from(answerAgain(error, keyed, response))),
    );
  }
}

/** Returns the earlier response if the request was already answered. Rethrows any other error. */
async function answerAgain(error: unknown, keyed: AnsweringRequest, response: ServerResponse): Promise<unknown> {
  if (!(error instanceof AlreadyAnswered)) {
    await keyed.failed();
    throw error;
  }
  const { status, text } = error.answer;
  response.statusCode = status;
  response.setHeader(REPLAYED, 'true');
  return text === '' ? undefined : new JsonText(text);
}
