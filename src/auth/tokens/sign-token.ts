import { SignJWT } from 'jose';
import type { Role } from '../principal.js';

/** Algorithm for the service's own tokens. */
export const OWN_ALGORITHM = 'HS256';

/** Claims in a token issued by this service, in addition to `exp` and `iat`. */
export interface TokenClaims {
  /** The user's id inside the company. */
  sub: string;
  company_id: string;
  role: Role;
  name?: string;
  email?: string;
  picture?: string;
}

/** Signs a token that expires at `expires` with the service's own secret. */
export async function signToken(secret: string, claims: TokenClaims, expires: Date): Promise<string> {
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: OWN_ALGORITHM })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));
}
