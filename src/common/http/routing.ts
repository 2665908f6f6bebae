import type { Request } from 'express';
import { type DomainError, MethodNotAllowed, PathNotFound } from '../errors/errors.js';

/** Percent-encoded characters that no name in a path has: a slash would end it, U+0000 is nowhere stored. */
const NEVER_IN_NAMES = /%(?:2f|00)/i;
/** Ids of users are what tokens say, such as URLs. */
const NAMES_USER = /\/members\/[^/]+$/;

/** Whether a path cannot lead anywhere, although a route's pattern may match it. */
export function isUnroutable(request: Request): boolean {
  const path = pathOf(request);
  if (!path.includes('%')) return false;
  if (NEVER_IN_NAMES.test(NAMES_USER.test(path) ? path.replaceAll(/%2f/gi, '') : path)) return true;
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

/** Answer to a request without a handler: 405 if the path is known for other methods, else 404. */
export function routingError(request: Request): DomainError {
  const allowed = isUnroutable(request) ? [] : methodsOf(pathOf(request), request);
  return allowed.length > 0 ? new MethodNotAllowed(allowed) : new PathNotFound();
}

const pathOf = ({ originalUrl }: Request): string => originalUrl.split('?', 1)[0] ?? '';

/** The methods of every route that a path matches. */
function methodsOf(path: string, { app }: Request): string[] {
  const { stack } = app.router as unknown as Router;
  const matching = stack.filter(
    (layer) => layer.route && layer.route.methods['_all'] !== true && layer.match(path) !== false,
  );
  return [...new Set(matching.flatMap(({ route }) => Object.keys(route?.methods ?? {})))].map((method) =>
    method.toUpperCase(),
  );
}

/** What Express's router keeps of its routes. */
interface Router {
  stack: { match(path: string): unknown; route?: { methods: Record<string, boolean> } }[];
}
