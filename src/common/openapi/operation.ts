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
import type { ErrorCode } from '../errors/codes.js';
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
  /** True if the last id in the path has no example, because the demo has nothing to try the operation on. */
  ownId?: boolean;
  /** Status of success; default 200. */
  status?: number;
  /** Body of success; absent where there is none. */
  response?: Type;
  /** Whether a client that would rather have CSV gets the body of success as such. */
  csv?: boolean;
  /** Codes of errors that the operation answers beside those of every request, of its path's parameters and of its body. */
  errors?: readonly ErrorCode[];
  /** Whether a request with an `Idempotency-Key` takes effect once; its service calls `once` of the caller. */
  idempotent?: boolean;
  /** Whether the answer has an entity tag: then GET takes If-None-Match, and PUT, PATCH and DELETE take If-Match. */
  tagged?: boolean;
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
  ownId,
  status = 200,
  response,
  csv = false,
  errors = [],
  idempotent,
  tagged = false,
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
    ...(errors.length === 0 ? [] : [ApiExtension(OWN_CODES, errors)]),
    ...(example === undefined ? [] : [ApiExtension(BODY_EXAMPLE, example)]),
    ...(ownId === true ? [ApiExtension(OWN_ID, true)] : []),
    ...(idempotent === true ? [UseInterceptors(IdempotencyInterceptor), ApiExtension(IDEMPOTENT, true)] : []),
    ...(tagged ? [ApiExtension(TAGGED, true)] : []),
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

/** Where the codes of an operation's own errors are kept until then. */
export const OWN_CODES = 'x-own-codes';

/** Marks operations whose last id has no example, until the document is built. */
export const OWN_ID = 'x-own-id';

/** Marks operations that serve `Idempotency-Key`, until the document is built. */
export const IDEMPOTENT = 'x-idempotent';

/** What marks an operation as tagged until the document is built. */
export const TAGGED = 'x-tagged';
