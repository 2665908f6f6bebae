import type { ParamsOption, ParseAs, ParseAsResponse, RequestBodyOption } from 'openapi-fetch';
import type { paths } from './openapi.js';

export type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** Paths that support an HTTP method. */
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

/** Options that every operation accepts. */
interface AnyOptions<As extends ParseAs> {
  signal?: AbortSignal | undefined;
  /** Time limit in milliseconds for the response to each attempt. Default: the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  headers?: Record<string, string>;
  /** Format of the response body: `json` by default, `text` for CSV, `stream` to read it yourself. */
  parseAs?: As;
}

type HeadersOf<Operation> = Operation extends { parameters: { header?: infer Headers } } ? NonNullable<Headers> : never;

/** Adds `ifNoneMatch` to operations that support `If-None-Match`. */
type Conditional<Operation, Tag> = [HeadersOf<Operation>] extends [never]
  ? unknown
  : 'If-None-Match' extends keyof HeadersOf<Operation>
    ? {
        /** `ETag` of a response that the caller has cached. If nothing has changed (304), the result has no `data`. */
        ifNoneMatch?: Tag;
      }
    : unknown;

/** Parameters, body and call options of an operation. */
export type CallOptions<Operation, As extends ParseAs = 'json', Tag = undefined> = ParamsOption<Operation> &
  RequestBodyOption<Operation> &
  Conditional<Operation, Tag> &
  AnyOptions<As>;

/** Successful response. */
export interface CallResult<Data> {
  data: Data;
  /** Response with its status and headers. Its body has already been read, unless `parseAs` is `stream`. */
  response: Response;
}

/**
 * Calls the operation at a path.
 *
 * @throws {@link ServiceError} if the service rejects the request, {@link ConnectionError} if there was no response, or the
 * signal's reason
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
