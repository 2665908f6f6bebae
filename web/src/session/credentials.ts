import type { TokenSource } from '@project-workspace/client';

/** Credentials of the signed-in user. */
export interface Credentials {
  token: TokenSource;
  /** Identity of the development token. Undefined for other tokens. */
  development?: { as: Role };
}

export type Role = 'company' | 'member';
type DevelopmentTokens = Record<Role, string>;

/** OpenID provider for signing in. */
export interface Provider {
  issuer: string;
  client_id: string;
  scope: string;
  audience: string;
}

/** Credentials, if the user is signed in, and the provider for signing in. */
export interface Found {
  credentials?: Credentials;
  provider: Provider | null;
}

/** Keys in `sessionStorage`, which is limited to this tab and cleared when the tab closes. */
const TOKEN = 'token';
const ROLE = 'development-role';
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Returns a saved pasted token. Otherwise returns the tokens of the provider or of development mode. */
export async function findCredentials(signal: AbortSignal): Promise<Found> {
  const { development, provider } = await ways(signal);
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) return { provider, credentials: { token } };
  if (provider !== null) {
    const { findProviderTokens } = await import('./provider');
    const source = await findProviderTokens(provider);
    return source === undefined ? { provider } : { provider, credentials: { token: source } };
  }
  if (!development || !LOOPBACK.test(location.hostname)) return { provider };
  const tokens = await developmentTokens(signal);
  if (tokens === undefined) return { provider };
  const as: Role = sessionStorage.getItem(ROLE) === 'member' ? 'member' : 'company';
  return { provider, credentials: { token: tokens[as], development: { as } } };
}

export const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token);

/** Clears the session data of this tab, except the development role. */
export function forgetTokens(): void {
  const role = sessionStorage.getItem(ROLE);
  sessionStorage.clear();
  if (role !== null) sessionStorage.setItem(ROLE, role);
}

/** Sets the identity for development tokens. */
export const keepRole = (role: Role): void => sessionStorage.setItem(ROLE, role);

async function ways(signal: AbortSignal): Promise<{ development: boolean; provider: Provider | null }> {
  const response = await fetch('sign-in', { signal });
  if (!response.ok) throw new Error(`Could not load the sign-in options (${response.status}).`);
  return (await response.json()) as { development: boolean; provider: Provider | null };
}

/** Returns development tokens. In development mode, the service issues them to its own pages on the same computer. */
async function developmentTokens(signal: AbortSignal): Promise<DevelopmentTokens | undefined> {
  const response = await fetch('sign-in', { method: 'POST', signal });
  return response.ok ? ((await response.json()) as DevelopmentTokens) : undefined;
}
