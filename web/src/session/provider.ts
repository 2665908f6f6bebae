import type { TokenSource } from '@project-workspace/client';
import * as oauth from 'oauth4webapi';
import type { Provider } from './credentials';

/** Storage key for the state of a sign-in that waits for the provider to redirect back. */
const PENDING_KEY = 'pending-sign-in';
/** Storage key of the tokens, which are kept until the tab is closed. */
const TOKENS_KEY = 'provider-tokens';

interface PendingSignIn {
  verifier: string;
  state: string;
  nonce: string;
  /** URL fragment to return to after the sign-in. */
  hash: string;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
}

const NO_SECRET = oauth.None();

/**
 * Redirects the browser to the provider, which redirects back with an authorization code. With PKCE, only this tab can exchange
 * the code for tokens.
 */
export async function redirectToProvider(provider: Provider): Promise<void> {
  const { authorization_endpoint } = await discoverServer(provider);
  if (authorization_endpoint === undefined) throw new Error('The provider has no sign-in page.');
  const pending: PendingSignIn = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    hash: location.hash,
  };
  sessionStorage.setItem(PENDING_KEY, JSON.stringify(pending));
  const url = new URL(authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectUri(),
    scope: provider.scope,
    audience: provider.audience,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Returns the token source if the provider has just redirected back or if a session exists, otherwise undefined.
 * @throws an error with the provider's message if the provider has denied access
 */
export async function findProviderTokens(provider: Provider): Promise<TokenSource | undefined> {
  const pending = readStored<PendingSignIn>(PENDING_KEY);
  const isRedirect = pending !== undefined && new URLSearchParams(location.search).get('state') === pending.state;
  if (isRedirect) await exchangeCode(provider, pending);
  return readStored<Tokens>(TOKENS_KEY) === undefined ? undefined : createTokenSource(provider);
}

async function exchangeCode(provider: Provider, { verifier, state, nonce, hash }: PendingSignIn): Promise<void> {
  const address = new URL(location.href);
  // Removes the authorization code even if the exchange fails, so that neither a reload nor a copied URL uses it again.
  sessionStorage.removeItem(PENDING_KEY);
  history.replaceState(null, '', location.pathname + hash);
  const server = await discoverServer(provider);
  const client = { client_id: provider.client_id };
  const code = validateRedirect(server, client, address, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    NO_SECRET,
    code,
    redirectUri(),
    verifier,
    requestOptions(provider),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    ...(provider.scope.split(' ').includes('openid') && { expectedNonce: nonce, requireIdToken: true }),
  });
  saveTokens(tokens);
}

function validateRedirect(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  address: URL,
  state: string,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, address, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    throw new Error(`The provider denied access: ${error.error_description ?? error.error}`, { cause: error });
  }
}

/**
 * Returns the saved token on the first call, and a renewed token on later calls. If the token cannot be renewed, returns the
 * old token again.
 */
function createTokenSource(provider: Provider): TokenSource {
  let currentToken: string | undefined;
  return async () => {
    const tokens = readStored<Tokens>(TOKENS_KEY);
    if (tokens === undefined) return currentToken ?? '';
    if (tokens.access_token === currentToken) currentToken = await renewToken(provider, tokens);
    else currentToken = tokens.access_token;
    return currentToken;
  };
}

async function renewToken(provider: Provider, { access_token, refresh_token }: Tokens): Promise<string> {
  if (refresh_token === undefined) return access_token;
  const server = await discoverServer(provider);
  const client = { client_id: provider.client_id };
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    NO_SECRET,
    refresh_token,
    requestOptions(provider),
  );
  try {
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    saveTokens({ refresh_token, ...tokens });
    return tokens.access_token;
  } catch (error) {
    // The session with the provider has ended. The service will reject the old token, so the user must sign in again.
    if (error instanceof oauth.ResponseBodyError) return access_token;
    throw error;
  }
}

const saveTokens = ({
  access_token,
  refresh_token,
}: {
  access_token: string;
  refresh_token?: string | undefined;
}): void => sessionStorage.setItem(TOKENS_KEY, JSON.stringify({ access_token, refresh_token }));

function readStored<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

const redirectUri = (): string => location.origin + location.pathname;

async function discoverServer(provider: Provider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions(provider)));
}

/** Allows HTTP for a provider on the developer's own computer. */
const requestOptions = ({ issuer }: Provider): { [oauth.allowInsecureRequests]: boolean } => ({
  [oauth.allowInsecureRequests]: /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(issuer),
});
