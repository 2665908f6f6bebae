import type { CallOptions, PathWith } from './calls.js';
import type { paths } from './openapi.js';
import type { Transport } from './transport.js';

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

/** Paths of paginated listings. */
export type ListPath = {
  [Path in PathWith<'get'>]: 'cursor' extends keyof QueryOf<paths[Path]['get']> ? Path : never;
}[PathWith<'get'>];

type BodyOf<Path extends ListPath> = paths[Path]['get'] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** Item in a listing. Each page has exactly one array. */
export type ItemOf<Path extends ListPath> = {
  [Key in keyof BodyOf<Path>]-?: BodyOf<Path>[Key] extends readonly (infer Item)[] ? Item : never;
}[keyof BodyOf<Path>];

/** Parameters for a listing. `limit` is the number of items per page. */
export type ListOptions<Path extends ListPath> = Omit<CallOptions<paths[Path]['get']>, 'parseAs' | 'ifNoneMatch'>;

interface ListPage {
  next_cursor?: string | null;
}

/** Yields the items in a listing, page by page. */
export async function* listItems<Path extends ListPath>(
  transport: Transport,
  path: Path,
  options: ListOptions<Path>,
): AsyncGenerator<ItemOf<Path>, void> {
  const { params, ...others } = options as { params?: { query?: object; path?: Record<string, unknown> } };
  for (let cursor: string | null | undefined = ''; cursor != null;) {
    const query = { ...params?.query, cursor };
    const { data } = await transport.call('get', path, { ...others, params: { ...params, query } });
    yield* Object.values(data as object).find(Array.isArray) as ItemOf<Path>[];
    cursor = (data as ListPage).next_cursor;
  }
}
