import { Injectable } from '@nestjs/common';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { JOSEError } from 'jose/errors';
import { Config } from '../../config/config.js';
import { Principal, type Role } from './principal.js';

const CLOCK_SKEW_SECONDS = 30;
const ID_LENGTH = 200;
const NAME_LENGTH = 500;
const URL_LENGTH = 2000;

/** Claims that a token of this service carries beside `exp`. */
export interface TokenClaims {
  /** The user's id inside the company. */
  sub: string;
  company_id: string;
  role: Role;
  name?: string;
  email?: string;
  picture?: string;
}

/** Reads and makes HS256 bearer tokens. */
@Injectable()
export class TokensService {
  private readonly key: Uint8Array;

  constructor(config: Config) {
    if (config.AUTH_JWT_SECRET === undefined) throw new Error('AUTH_JWT_SECRET is not set');
    this.key = new TextEncoder().encode(config.AUTH_JWT_SECRET);
  }

  /** The user a token speaks for, or null when the token is not valid now. */
  async verify(token: string): Promise<Principal | null> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: ['HS256'],
        requiredClaims: ['exp', 'sub', 'company_id'],
        clockTolerance: CLOCK_SKEW_SECONDS,
      });
      return toPrincipal(payload);
    } catch (error) {
      if (error instanceof JOSEError) return null;
      throw error;
    }
  }

  /** A signed token that ends at `expires`. */
  async sign(claims: TokenClaims, expires: Date): Promise<string> {
    return await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(this.key);
  }
}

function toPrincipal({ sub, company_id, role = 'member', name, email, picture, exp }: JWTPayload): Principal | null {
  const user_id = text(sub, ID_LENGTH);
  const company = text(company_id, ID_LENGTH);
  if (user_id === null || company === null || exp === undefined) return null;
  if (role !== 'member' && role !== 'company') return null;
  return Principal.user({
    company_id: company,
    role,
    user_id,
    user_name: text(name, NAME_LENGTH) ?? text(email, NAME_LENGTH) ?? user_id,
    user_email: text(email, NAME_LENGTH),
    user_avatar_url: text(picture, URL_LENGTH),
    expires_at: new Date(exp * 1000),
  });
}

/** A claim that can be stored; anything else counts as absent. */
function text(claim: unknown, maxLength: number): string | null {
  if (typeof claim !== 'string' || claim === '' || claim.length > maxLength) return null;
  return claim.isWellFormed() && !claim.includes('\0') ? claim : null;
}
