import type { TokenSource } from '@project-workspace/client';

/** How somebody is signed in. */
export interface Credentials {
  token: TokenSource;
  /** Whom the development tokens speak for; absent for other tokens. */
  development?: { as: Role };
}

export type Role = 'company' | 'member';
type DevelopmentTokens = Record<Role, string>;

/** The OpenID provider where people sign in. */
export interface Provider {
  issuer: string;
  client_id: string;
  scope: string;
  audience: string;
}

/** Who is signed in, if anybody, and where else than by a token people can. */
export interface Found {
  credentials?: Credentials;
  provider: Provider | null;
}

/** Kept until the tab is closed, and seen by no other tab. */
const TOKEN = 'token';
const ROLE = 'development-role';
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A pasted token that is kept, else what the provider or a development start gives. */
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

/** Whoever is signed in is not any more, in this tab. */
export function forgetTokens(): void {
  const role = sessionStorage.getItem(ROLE);
  sessionStorage.clear();
  if (role !== null) sessionStorage.setItem(ROLE, role);
}

/** Whom the development tokens speak for from now on. */
export const keepRole = (role: Role): void => sessionStorage.setItem(ROLE, role);

async function ways(signal: AbortSignal): Promise<{ development: boolean; provider: Provider | null }> {
  const response = await fetch('sign-in', { signal });
  if (!response.ok) throw new Error(`The service does not say how one signs in (${response.status}).`);
  return (await response.json()) as { development: boolean; provider: Provider | null };
}

/** The service gives them to pages of its own, on the computer that it runs on, when it was started for development. */
async function developmentTokens(signal: AbortSignal): Promise<DevelopmentTokens | undefined> {
  const response = await fetch('sign-in', { method: 'POST', signal });
  return response.ok ? ((await response.json()) as DevelopmentTokens) : undefined;
}
