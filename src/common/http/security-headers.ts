import helmet from 'helmet';
import type { RequestHandler } from 'express';

/**
 * Content security policy for Swagger UI. It allows its own files, the styles it sets at run time, and icons in its style
 * sheet.
 */
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
 * Returns the content security policy for the page. It allows the page's own files, styles that its components set at run time,
 * and images from `blob:` and `data:` URLs. It also allows requests to the given origins, which serve signed URLs and the
 * sign-in. Inline scripts are blocked.
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
/** Paths of the page and its own files. */
const PAGE = /^\/(?:assets\/|\?|$)/;
/**
 * Content security policy for data responses. A browser that displays such a response as a page must not run or load anything
 * for it, nor show it in a frame.
 */
const DATA_POLICY = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };

/**
 * Sets headers that keep browsers from misinterpreting a response. Downloads from the disk store replace the policy with their
 * own `sandbox` policy.
 *
 * @param overTls whether clients reach the service over https, so that the service may require https
 * @param pageConnectOrigins other origins that the page sends requests to
 */
export function securityHeaders({
  overTls,
  pageConnectOrigins,
}: {
  overTls: boolean;
  pageConnectOrigins: readonly string[];
}): RequestHandler {
  const documentation = headersWith(DOCUMENTATION_POLICY, 'same-origin', overTls);
  const page = headersWith(pagePolicy(pageConnectOrigins), 'same-origin', overTls);
  const data = headersWith(DATA_POLICY, 'same-origin', overTls);
  // The signature alone grants access, so pages from other origins may embed these files.
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
    // Disables headers that matter only to obsolete browsers, or to pop-ups and plugins, which no response uses.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
