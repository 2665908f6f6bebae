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

/** Name of the bearer scheme in the document, the same as in FastAPI. */
export const BEARER = 'HTTPBearer';

export interface OperationOptions {
  tag: string;
  summary: string;
  description: string;
  /** Body that works unchanged with the demo data. */
  example?: object;
  /** True if the last id in the path has no example, because the demo has no object to try the operation on. */
  ownId?: boolean;
  /** Status of a successful response. Defaults to 200. */
  status?: number;
  /** Body of a successful response. Absent if the body is empty. */
  response?: Type;
  /** Whether a successful response can be requested as CSV. */
  csv?: boolean;
  /** Codes of the operation's own errors. Common errors and errors of its path parameters and body are added automatically. */
  errors?: readonly ErrorCode[];
  /** Whether a request with an `Idempotency-Key` takes effect only once. The service must call the caller's `once`. */
  idempotent?: boolean;
  /** Whether the response has an entity tag. GET then accepts If-None-Match. PUT, PATCH and DELETE accept If-Match. */
  tagged?: boolean;
  /** True for operations that are not part of the documented interface. */
  extension?: boolean;
  /** True for operations that need no credentials. */
  isPublic?: boolean;
}

/** Documents a handler and sets its status. Path parameters are taken from the route. */
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
    ApiOperation({ summary, description }),
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

/** Temporary key for an operation's example, until the document is built. */
export const BODY_EXAMPLE = 'x-body-example';

/** Temporary key for an operation's own error codes, until the document is built. */
export const OWN_CODES = 'x-own-codes';

/** Marks operations whose last id has no example, until the document is built. */
export const OWN_ID = 'x-own-id';

/** Marks operations that support `Idempotency-Key`, until the document is built. */
export const IDEMPOTENT = 'x-idempotent';

/** Marks operations that have an entity tag, until the document is built. */
export const TAGGED = 'x-tagged';
