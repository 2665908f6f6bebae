import { applyDecorators, HttpCode, type Type, UseInterceptors } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';

/** Name of the bearer scheme in the document, FastAPI's name for it. */
export const BEARER = 'HTTPBearer';

export interface OperationOptions {
  /** Group in Swagger UI. */
  tag: string;
  summary: string;
  description?: string;
  /** A body that works unchanged with the demo data. */
  example?: object;
  /** Status of success; default 200. */
  status?: number;
  /** Body of success; absent where there is none. */
  response?: Type;
  /** Whether a client that would rather have CSV gets the body of success as such. */
  csv?: boolean;
  /** Error statuses beside 401 and 422 that the operation answers, all with `{"detail": "<sentence>"}`. */
  errors?: number[];
  /** Whether a request with an `Idempotency-Key` takes effect once; its handler passes `@RequestOnce()` on. */
  idempotent?: boolean;
  /** True for operations that the documented interface does not have. */
  extension?: boolean;
  /** True for operations that need no credentials. */
  isPublic?: boolean;
}

/** Documents a handler and sets its status. Path parameters are read from the route. */
export function Operation({
  tag,
  summary,
  description,
  example,
  status = 200,
  response,
  csv = false,
  errors = [],
  idempotent,
  extension,
  isPublic,
}: OperationOptions): MethodDecorator {
  return applyDecorators(
    HttpCode(status),
    ApiTags(tag),
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ...(isPublic === true ? [] : [ApiBearerAuth(BEARER)]),
    ...(csv && response !== undefined
      ? [ApiExtraModels(response), ApiResponse({ status, description: SUCCESS, content: jsonOrCsv(response) })]
      : [ApiResponse({ status, description: SUCCESS, ...(response !== undefined && { type: response }) })]),
    ...errors.map((code) =>
      ApiResponse({ status: code, description: ERROR_DESCRIPTIONS[code] ?? 'Error', schema: { $ref: ERROR_REF } }),
    ),
    ...(example === undefined ? [] : [ApiExtension(BODY_EXAMPLE, example)]),
    ...(idempotent === true ? [UseInterceptors(IdempotencyInterceptor), ApiExtension(IDEMPOTENT, true)] : []),
    ...(extension === true ? [ApiExtension('x-extension', true)] : []),
  );
}

const SUCCESS = 'Successful Response';

const jsonOrCsv = (response: Type) => ({
  'application/json': { schema: { $ref: getSchemaPath(response) } },
  'text/csv': { schema: { type: 'string' as const } },
});

/** Where an example is kept until the document is built. */
export const BODY_EXAMPLE = 'x-body-example';

/** Marks operations that serve `Idempotency-Key`, until the document is built. */
export const IDEMPOTENT = 'x-idempotent';

export const ERROR_REF = '#/components/schemas/ErrorResponse';

export const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'The request cannot be processed',
  401: 'Not authenticated',
  402: 'A budget is used up',
  403: 'Not allowed',
  404: 'Not found',
  408: 'The body took too long',
  409: 'Conflict with the current state',
  410: 'Expired',
  413: 'Too large',
  415: 'The body is compressed',
  429: 'Too many requests',
  503: 'The database or the file store is unavailable',
  507: 'The file store is full',
};
