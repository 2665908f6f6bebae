/** How somebody is signed in. */
export interface Credentials {
  token: string;
  /** Whom the development tokens speak for; absent for a token that was pasted. */
  development?: { as: Role };
}

export type Role = 'company' | 'member';
type DevelopmentTokens = Record<Role, string>;

/** Kept until the tab is closed, and seen by no other tab. */
const TOKEN = 'token';
const ROLE = 'development-role';
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A pasted token that is kept, else the development tokens; undefined: somebody has to paste one. */
export async function findCredentials(signal: AbortSignal): Promise<Credentials | undefined> {
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) return { token };
  const tokens = await developmentTokens(signal);
  if (tokens === undefined) return undefined;
  const as: Role = sessionStorage.getItem(ROLE) === 'member' ? 'member' : 'company';
  return { token: tokens[as], development: { as } };
}

export const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token);

export const forgetToken = (): void => sessionStorage.removeItem(TOKEN);

/** Whom the development tokens speak for from now on. */
export const keepRole = (role: Role): void => sessionStorage.setItem(ROLE, role);

/** The service gives them to pages of its own, on the computer that it runs on, when it was started for development. */
async function developmentTokens(signal: AbortSignal): Promise<DevelopmentTokens | undefined> {
  if (!LOOPBACK.test(location.hostname)) return undefined;
  const response = await fetch('sign-in', { method: 'POST', signal });
  return response.ok ? ((await response.json()) as DevelopmentTokens) : undefined;
}
