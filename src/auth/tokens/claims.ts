import type { JWTPayload } from 'jose';
import type { TokenUser } from '../identities/user.entity.js';
import type { Role } from '../principal.js';

const MAX_ID_LENGTH = 200;
const MAX_NAME_LENGTH = 500;
const MAX_URL_LENGTH = 2000;

/**
 * Claim names in a token. A name refers to a top-level claim. If that claim does not exist, the name is a path into nested
 * claims, such as `realm_access.roles`.
 */
export interface ClaimNames {
  user_id: string;
  company_id: string;
  role: string;
  name: string;
  email: string;
  picture: string;
}

/** Values of the role claim for each role. The claim is a string or an array of strings. */
export interface RoleValues {
  company: readonly string[];
  /**
   * Includes undefined if a token without the claim belongs to a member. If absent, all users without the company role are
   * members.
   */
  member?: readonly (string | undefined)[];
}

/** Rules for reading the payload of a verified token. */
export interface ClaimMapping {
  names: ClaimNames;
  roles: RoleValues;
}

/** Returns the user that a verified token identifies, or null if the token has no valid ids or no known role. */
export function readClaims(payload: JWTPayload, { names, roles }: ClaimMapping): TokenUser | null {
  const text = (name: keyof ClaimNames, maxLength: number): string | null =>
    validText(find(payload, names[name]), maxLength);
  const id = text('user_id', MAX_ID_LENGTH);
  const company_id = text('company_id', MAX_ID_LENGTH);
  const role = readRole(find(payload, names.role), roles);
  if (id === null || company_id === null || role === null) return null;
  // Clients would interpret these as relative steps in a path that contains the user id.
  if (id === '.' || id === '..') return null;
  const email = text('email', MAX_NAME_LENGTH);
  return {
    company_id,
    id,
    display_name: text('name', MAX_NAME_LENGTH) ?? email ?? id,
    email,
    avatar_url: webAddress(text('picture', MAX_URL_LENGTH)),
    role,
    token_issued_at: new Date(Math.min(Math.max(0, (payload.iat ?? 0) * 1000), Date.now())),
  };
}

function readRole(claim: unknown, { company, member }: RoleValues): Role | null {
  const claimedRoles = [claim].flat();
  const isOneOf = (values: readonly unknown[]): boolean => claimedRoles.some((value) => values.includes(value));
  if (isOneOf(company)) return 'company';
  return member === undefined || isOneOf(member) ? 'member' : null;
}

function find(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name
    .split('.')
    .reduce<unknown>(
      (at, step) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      payload,
    );
}

/**
 * Accepts only addresses that a browser can safely load a picture from. Other URLs can contain scripts or embed pictures of any
 * size.
 */
const webAddress = (text: string | null): string | null => (text !== null && /^https?:\/\//i.test(text) ? text : null);

/** Returns a claim that can be stored. Any other claim counts as absent. */
function validText(claim: unknown, maxLength: number): string | null {
  if (typeof claim !== 'string' || claim === '' || claim.length > maxLength) return null;
  return claim.isWellFormed() && !claim.includes('\0') ? claim : null;
}
