import helmet from 'helmet';
import type { RequestHandler } from 'express';

/** What Swagger UI needs: its own files, the styles it sets while it runs, and icons inside its style sheet. */
const DOCUMENTATION_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
/**
 * What the page needs: its own files, the styles that its components set while it runs, files that it shows from memory, and
 * what is named: where signed URLs lead and people sign in. No script runs that is not a file of its own.
 */
const pagePolicy = (mayAsk: readonly string[]): Record<string, string[]> => ({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'connect-src': ["'self'", ...mayAsk],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});
/** The page and its own files. */
const PAGE = /^\/(?:assets\/|\?|$)/;
/** An answer with data is no page: should a browser show it as one, nothing in it runs, loads or is framed. */
const DATA_POLICY = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };

/**
 * Headers that keep browsers from making more of an answer than it is. Downloads of the disk store replace the policy
 * with a `sandbox` of their own.
 *
 * @param overTls whether clients reach the service over https, and so may be told to stay with it
 * @param pageMayAsk other origins that the page asks
 */
export function securityHeaders({
  overTls,
  pageMayAsk,
}: {
  overTls: boolean;
  pageMayAsk: readonly string[];
}): RequestHandler {
  const documentation = headersWith(DOCUMENTATION_POLICY, 'same-origin', overTls);
  const page = headersWith(pagePolicy(pageMayAsk), 'same-origin', overTls);
  const data = headersWith(DATA_POLICY, 'same-origin', overTls);
  // The signature is the permission, also for an image that a page of another origin shows.
  const files = headersWith(DATA_POLICY, 'cross-origin', overTls);
  return (request, response, next) => {
    if (request.url.startsWith('/docs')) documentation(request, response, next);
    else if (request.url.startsWith('/store/')) files(request, response, next);
    else if (PAGE.test(request.url)) {
      response.setHeader('Cache-Control', 'no-store');
      page(request, response, next);
    } else {
      response.setHeader('Cache-Control', 'no-store');
      data(request, response, next);
    }
  };
}

const headersWith = (
  directives: Record<string, string[]>,
  policy: 'same-origin' | 'cross-origin',
  overTls: boolean,
): RequestHandler =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    crossOriginResourcePolicy: { policy },
    strictTransportSecurity: overTls,
    referrerPolicy: { policy: 'no-referrer' },
    // For browsers that are gone, or about windows and plugins that no answer opens.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
