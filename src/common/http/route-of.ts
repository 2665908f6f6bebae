/** Route label for requests without a handler. */
const NO_ROUTE = 'none';

/**
 * Returns the route pattern for a request, such as `/api/v1/projects/:project_id`. The path itself would contain ids. The
 * pattern is known only after routing.
 */
export function routeOf(request: object): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : NO_ROUTE;
}
