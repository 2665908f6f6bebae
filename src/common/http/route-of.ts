/** Route of requests that no handler was there for. */
const NO_ROUTE = 'none';

/**
 * The pattern of the route that a request took, such as `/api/v1/projects/:project_id`, in place of its path, which holds
 * ids. Known once the request was routed.
 */
export function routeOf(request: object): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : NO_ROUTE;
}
