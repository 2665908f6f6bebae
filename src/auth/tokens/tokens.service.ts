import { Inject, Injectable } from '@nestjs/common';
import { decodeProtectedHeader, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { JOSEError } from 'jose/errors';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import type { TokenUser } from '../identities/user.entity.js';
import { type ClaimMapping, readClaims } from './claims.js';
import { providerKeys } from './provider-keys.js';
import { OWN_ALGORITHM, signToken, type TokenClaims } from './sign-token.js';

const CLOCK_SKEW_SECONDS = 30;
/** Latest expiry time that responses can contain. Some tokens expire later, e.g. if their issuer counts in milliseconds. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');
/**
 * Signature algorithms accepted from an OpenID provider. Excludes shared secrets, because an attacker could use the provider's
 * public key as the secret.
 */
const PROVIDER_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const OWN_CLAIMS: ClaimMapping = {
  names: { user_id: 'sub', company_id: 'company_id', role: 'role', name: 'name', email: 'email', picture: 'picture' },
  roles: { company: ['company'], member: ['member', undefined] },
};

/** Contents of a valid token. */
export interface VerifiedToken {
  user: TokenUser;
  expires_at: Date;
}

/** Source of tokens: finds the key for a token, and defines how tokens are verified and read. */
interface Issuer {
  key: JWTVerifyGetKey;
  options: JWTVerifyOptions;
  claims: ClaimMapping;
}

/** Verifies bearer tokens from an OpenID provider and from the service itself. Creates the service's own tokens. */
@Injectable()
export class TokensService {
  private readonly secret: string | undefined;
  private readonly own: Issuer | undefined;
  private readonly provider: Issuer | undefined;

  constructor(config: Config, @Inject(LOGGER) logger: Logger) {
    const { AUTH_JWT_SECRET, oidc } = config;
    if (AUTH_JWT_SECRET === undefined && oidc === undefined)
      throw new Error('Neither AUTH_JWT_SECRET nor an OpenID provider is configured');
    if (AUTH_JWT_SECRET !== undefined) {
      const secret = new TextEncoder().encode(AUTH_JWT_SECRET);
      this.secret = AUTH_JWT_SECRET;
      this.own = { key: () => secret, options: { algorithms: [OWN_ALGORITHM] }, claims: OWN_CLAIMS };
    }
    if (oidc !== undefined) {
      const { jwksUrl, issuer, audience, claims } = oidc;
      this.provider = {
        key: providerKeys(jwksUrl, (fault) =>
          logger.warn({ err: fault }, "the identity provider's keys could not be fetched"),
        ),
        options: { algorithms: PROVIDER_ALGORITHMS, issuer, audience },
        claims,
      };
    }
  }

  /**
   * Returns the contents of a token, or null if the token is invalid. Its algorithm determines the issuer.
   *
   * @throws Unavailable if its key is unknown and cannot be requested now
   */
  async verify(token: string): Promise<VerifiedToken | null> {
    try {
      const issuer = algorithmOf(token) === OWN_ALGORITHM ? this.own : this.provider;
      if (issuer === undefined) return null;
      const { payload } = await jwtVerify(token, issuer.key, {
        ...issuer.options,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_SKEW_SECONDS,
      });
      const user = readClaims(payload, issuer.claims);
      if (user === null || payload.exp === undefined) return null;
      return { user, expires_at: new Date(Math.min(payload.exp * 1000, LAST_MOMENT)) };
    } catch (error) {
      if (error instanceof JOSEError) return null;
      throw error;
    }
  }

  /** Signs a token that expires at `expires` with the service's own secret. */
  async sign(claims: TokenClaims, expires: Date): Promise<string> {
    if (this.secret === undefined) throw new Error('AUTH_JWT_SECRET is not set');
    return await signToken(this.secret, claims, expires);
  }
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch (error) {
    // The string is not a token.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
