import type { Request } from 'express';
import { type DomainError, MethodNotAllowed, PathNotFound } from '../errors/errors.js';

/** Percent-encoded characters that cannot occur in a name: a slash would end it, and U+0000 cannot be stored. */
const NEVER_IN_NAMES = /%(?:2f|00)/i;
/** Path of a project member. User ids come from tokens and may contain slashes, e.g. if they are URLs. */
const NAMES_USER = /\/members\/[^/]+$/;

/** Whether a path cannot lead to a handler, even if it matches the pattern of a route. */
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

/** Returns the error for a request without a handler: 405 if the path exists for other methods, otherwise 404. */
export function routingError(request: Request): DomainError {
  const allowed = isUnroutable(request) ? [] : methodsOf(pathOf(request), request);
  return allowed.length > 0 ? new MethodNotAllowed(allowed) : new PathNotFound();
}

const pathOf = ({ originalUrl }: Request): string => originalUrl.split('?', 1)[0] ?? '';

/** Returns the methods of all routes that match a path. */
function methodsOf(path: string, { app }: Request): string[] {
  const { stack } = app.router as unknown as Router;
  const matching = stack.filter(
    (layer) => layer.route && layer.route.methods['_all'] !== true && layer.match(path) !== false,
  );
  return [...new Set(matching.flatMap(({ route }) => Object.keys(route?.methods ?? {})))].map((method) =>
    method.toUpperCase(),
  );
}

/** Internal data of Express's router. */
interface Router {
  stack: { match(path: string): unknown; route?: { methods: Record<string, boolean> } }[];
}
