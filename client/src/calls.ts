import type { ParamsOption, ParseAs, ParseAsResponse, RequestBodyOption } from 'openapi-fetch';
import type { paths } from './openapi.js';

export type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The paths that have an operation of a method. */
export type PathWith<Method extends HttpMethod> = {
  [Path in keyof paths]: paths[Path] extends Record<Method, { responses: unknown }> ? Path : never;
}[keyof paths];

type SuccessStatus = 200 | 201 | 202 | 204;
type SuccessBody<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & SuccessStatus]: Responses[Status] extends {
        content: { 'application/json': infer Body };
      }
        ? Body
        : undefined;
    }[keyof Responses & SuccessStatus]
  : never;

/** What every operation can be called with. */
interface AnyOptions<As extends ParseAs> {
  signal?: AbortSignal | undefined;
  /** Maximum milliseconds until an attempt is answered; default: that of the client. */
  timeoutMs?: number | undefined;
  headers?: Record<string, string>;
  /** How the body is read: `json` by default, `text` for CSV, `stream` to read it by hand. */
  parseAs?: As;
}

type HeadersOf<Operation> = Operation extends { parameters: { header?: infer Headers } } ? NonNullable<Headers> : never;

/** Operations that have an `ETag` can be asked whether anything has changed. */
type Conditional<Operation, Tag> = [HeadersOf<Operation>] extends [never]
  ? unknown
  : 'If-None-Match' extends keyof HeadersOf<Operation>
    ? {
        /** The `ETag` of an answer that the caller has: there is no `data` when it has not changed (304). */
        ifNoneMatch?: Tag;
      }
    : unknown;

/** Parameters and body of an operation, and how it is called. */
export type CallOptions<Operation, As extends ParseAs = 'json', Tag = undefined> = ParamsOption<Operation> &
  RequestBodyOption<Operation> &
  Conditional<Operation, Tag> &
  AnyOptions<As>;

/** The answer of an operation that has succeeded. */
export interface CallResult<Data> {
  data: Data;
  /** For its status and headers; the body has been read, unless it is a stream. */
  response: Response;
}

/**
 * Calls the operation of a path.
 *
 * @throws {@link ServiceError} when it has not succeeded, {@link ConnectionError} when there was no answer, and the reason of
 * the signal
 */
export type Call<Method extends HttpMethod> = <
  Path extends PathWith<Method>,
  As extends ParseAs = 'json',
  Tag extends string | undefined = undefined,
>(
  path: Path,
  ...options: Record<never, never> extends CallOptions<paths[Path][Method], As, Tag>
    ? [options?: CallOptions<paths[Path][Method], As, Tag>]
    : [options: CallOptions<paths[Path][Method], As, Tag>]
) => Promise<
  CallResult<
    ParseAsResponse<SuccessBody<paths[Path][Method]>, { parseAs: As }> | (Tag extends string ? undefined : never)
  >
>;
