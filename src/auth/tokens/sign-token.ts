import { SignJWT } from 'jose';
import type { Role } from '../principal.js';

/** What the service's own tokens are signed with. */
export const OWN_ALGORITHM = 'HS256';

/** Claims that a token of this service carries beside `exp` and `iat`. */
export interface TokenClaims {
  /** The user's id inside the company. */
  sub: string;
  company_id: string;
  role: Role;
  name?: string;
  email?: string;
  picture?: string;
}

/** A token signed with the service's own secret that ends at `expires`. */
export async function signToken(secret: string, claims: TokenClaims, expires: Date): Promise<string> {
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: OWN_ALGORITHM })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));
}
