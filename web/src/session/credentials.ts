import type { TokenSource } from '@project-workspace/client';

/** The signed-in user's credentials. */
export interface Credentials {
  token: TokenSource;
  /** Identity in the development token. Undefined for other tokens. */
  development?: { role: Role };
}

export type Role = 'company' | 'member';
type DevelopmentTokens = Record<Role, string>;

/** OpenID Connect provider for signing in. */
export interface Provider {
  issuer: string;
  client_id: string;
  scope: string;
  audience: string;
}

/** Credentials, if the user is signed in, and the provider for signing in. */
export interface SignInState {
  credentials?: Credentials;
  provider: Provider | null;
}

/** Keys in `sessionStorage`, which belongs to this tab and is cleared when the tab is closed. */
const TOKEN_KEY = 'token';
const ROLE_KEY = 'development-role';
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Returns the token that the user has pasted, if it was saved. Otherwise returns the tokens from the provider or from
 * development mode.
 */
export async function findCredentials(signal: AbortSignal): Promise<SignInState> {
  const { development, provider } = await fetchSignInOptions(signal);
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token !== null) return { provider, credentials: { token } };
  if (provider !== null) {
    const { findProviderTokens } = await import('./provider');
    const source = await findProviderTokens(provider);
    return source === undefined ? { provider } : { provider, credentials: { token: source } };
  }
  if (!development || !LOOPBACK.test(location.hostname)) return { provider };
  const tokens = await developmentTokens(signal);
  if (tokens === undefined) return { provider };
  const role: Role = sessionStorage.getItem(ROLE_KEY) === 'member' ? 'member' : 'company';
  return { provider, credentials: { token: tokens[role], development: { role } } };
}

export const saveToken = (token: string): void => sessionStorage.setItem(TOKEN_KEY, token);

/** Clears the session data of this tab, except the development role. */
export function clearSession(): void {
  const role = sessionStorage.getItem(ROLE_KEY);
  sessionStorage.clear();
  if (role !== null) sessionStorage.setItem(ROLE_KEY, role);
}

/** Sets the identity for development tokens. */
export const saveRole = (role: Role): void => sessionStorage.setItem(ROLE_KEY, role);

async function fetchSignInOptions(signal: AbortSignal): Promise<{ development: boolean; provider: Provider | null }> {
  const response = await fetch('sign-in', { signal });
  if (!response.ok) throw new Error(`Could not load the sign-in options (${response.status}).`);
  return (await response.json()) as { development: boolean; provider: Provider | null };
}

/** Returns development tokens. In development mode, the service issues them to its own pages on the same computer. */
async function developmentTokens(signal: AbortSignal): Promise<DevelopmentTokens | undefined> {
  const response = await fetch('sign-in', { method: 'POST', signal });
  return response.ok ? ((await response.json()) as DevelopmentTokens) : undefined;
}
