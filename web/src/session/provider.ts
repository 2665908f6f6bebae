import type { TokenSource } from '@project-workspace/client';
import * as oauth from 'oauth4webapi';
import type { Provider } from './credentials';

/** Storage key of a sign-in that waits for the redirect from the provider. */
const BEGUN = 'sign-in-begun';
/** Storage key of the tokens, kept until the tab closes. */
const TOKENS = 'provider-tokens';

interface Begun {
  verifier: string;
  state: string;
  nonce: string;
  /** Location to return to. */
  place: string;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
}

const NO_SECRET = oauth.None();

/** Redirects the browser to the provider, which redirects back with a code. With PKCE, only this tab can use the code. */
export async function goAndSignIn(provider: Provider): Promise<void> {
  const { authorization_endpoint } = await serverOf(provider);
  if (authorization_endpoint === undefined) throw new Error('The provider has no sign-in page.');
  const begun: Begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    place: location.hash,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const url = new URL(authorization_endpoint);
  const asked = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: pageAddress(),
    scope: provider.scope,
    audience: provider.audience,
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Returns the token source after a redirect from the provider or during a session, otherwise undefined. @throws an error with the
 * provider's message if it has denied access
 */
export async function findProviderTokens(provider: Provider): Promise<TokenSource | undefined> {
  const begun = read<Begun>(BEGUN);
  const hasComeBack = begun !== undefined && new URLSearchParams(location.search).get('state') === begun.state;
  if (hasComeBack) await takeTokens(provider, begun);
  return read<Tokens>(TOKENS) === undefined ? undefined : sourceOf(provider);
}

async function takeTokens(provider: Provider, { verifier, state, nonce, place }: Begun): Promise<void> {
  const address = new URL(location.href);
  // Removes the code even if the exchange fails, so that neither a reload nor a copied URL reuses it.
  sessionStorage.removeItem(BEGUN);
  history.replaceState(null, '', location.pathname + place);
  const server = await serverOf(provider);
  const client = { client_id: provider.client_id };
  const code = codeIn(server, client, address, state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    NO_SECRET,
    code,
    pageAddress(),
    verifier,
    over(provider),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    ...(provider.scope.split(' ').includes('openid') && { expectedNonce: nonce, requireIdToken: true }),
  });
  keep(tokens);
}

function codeIn(server: oauth.AuthorizationServer, client: oauth.Client, address: URL, state: string): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, address, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    throw new Error(`The provider denied access: ${error.error_description ?? error.error}`, { cause: error });
  }
}

/**
 * Returns the saved token on the first call, and a renewed token on later calls. If renewal is impossible, returns the old token
 * again.
 */
function sourceOf(provider: Provider): TokenSource {
  let given: string | undefined;
  return async () => {
    const tokens = read<Tokens>(TOKENS);
    if (tokens === undefined) return given ?? '';
    if (tokens.access_token === given) given = await renewed(provider, tokens);
    else given = tokens.access_token;
    return given;
  };
}

async function renewed(provider: Provider, { access_token, refresh_token }: Tokens): Promise<string> {
  if (refresh_token === undefined) return access_token;
  const server = await serverOf(provider);
  const client = { client_id: provider.client_id };
  const answer = await oauth.refreshTokenGrantRequest(server, client, NO_SECRET, refresh_token, over(provider));
  try {
    const tokens = await oauth.processRefreshTokenResponse(server, client, answer);
    keep({ refresh_token, ...tokens });
    return tokens.access_token;
  } catch (error) {
    // The session at the provider has ended. The service will reject the old token, and the user must sign in again.
    if (error instanceof oauth.ResponseBodyError) return access_token;
    throw error;
  }
}

const keep = ({ access_token, refresh_token }: { access_token: string; refresh_token?: string | undefined }): void =>
  sessionStorage.setItem(TOKENS, JSON.stringify({ access_token, refresh_token }));

function read<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Returns the redirect URI. */
const pageAddress = (): string => location.origin + location.pathname;

async function serverOf(provider: Provider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, over(provider)));
}

/** Allows HTTP for a provider on the developer's own computer. */
const over = ({ issuer }: Provider): { [oauth.allowInsecureRequests]: boolean } => ({
  [oauth.allowInsecureRequests]: /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(issuer),
});
