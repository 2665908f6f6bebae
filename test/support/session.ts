import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { Client } from './client.js';
import { keepSecret } from './secrets.js';

export interface SessionOptions {
  /** Default: a company that no other session has. */
  company?: string;
  /** The user's id inside the company; default a new one. */
  user?: string;
  /** Default `company`: company-level. */
  role?: 'member' | 'company';
  name?: string;
  email?: string;
  picture?: string;
  /** When the token was issued, in seconds of Unix time; default: it does not say. */
  issuedAt?: number;
  /** Lifetime of the token in seconds, negative for one that has ended; default an hour. */
  expiresIn?: number;
}

/** Somebody signed in. */
export interface Session {
  company: string;
  user: string;
  name: string;
  token: string;
  client: Client;
}

/** A company, a user, a token and a client in one line. */
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
