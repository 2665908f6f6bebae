import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { Client } from './client.js';
import { keepSecret } from './secrets.js';

export interface SessionOptions {
  /** Company id. Defaults to a new company. */
  company?: string;
  /** Id of the user in the company. Defaults to a new user. */
  user?: string;
  /** Role of the user. Defaults to `company`, which is company-level. */
  role?: 'member' | 'company';
  name?: string;
  email?: string;
  picture?: string;
  /** Issue time of the token as a Unix timestamp in seconds. Not included in the token by default. */
  issuedAt?: number;
  /** Lifetime of the token in seconds. Defaults to an hour. A negative number creates an expired token. */
  expiresIn?: number;
}

/** Signed-in user. */
export interface Session {
  company: string;
  user: string;
  name: string;
  token: string;
  client: Client;
}

/** Creates a company, a user, a token and a client in a single call. */
export async function signIn(url: string, secret: string, options: SessionOptions = {}): Promise<Session> {
  const { company = `company-${random()}`, user = `user-${random()}`, role = 'company', expiresIn = 3600 } = options;
  const { name = `Name of ${user}`, email = `${user}@example.com`, picture, issuedAt } = options;
  const optional = { ...(picture !== undefined && { picture }), ...(issuedAt !== undefined && { iat: issuedAt }) };
  const token = await new SignJWT({ company_id: company, role, name, email, ...optional })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn)
    .sign(new TextEncoder().encode(secret));
  keepSecret(token);
  return { company, user, name, token, client: new Client(url, token) };
}

const random = (): string => randomBytes(5).toString('hex');
