import type { JWTPayload } from 'jose';
import type { KnownUser } from '../identities/user.entity.js';
import type { Role } from '../principal.js';

const MAX_ID_LENGTH = 200;
const MAX_NAME_LENGTH = 500;
const MAX_URL_LENGTH = 2000;

/**
 * Where a token says what. A name is that of a claim of the payload, or else a path into nested claims, such as
 * `realm_access.roles`.
 */
export interface ClaimNames {
  user_id: string;
  company_id: string;
  role: string;
  name: string;
  email: string;
  picture: string;
}

/** Which values of the role claim, one text or an array of them, mean what. */
export interface RoleValues {
  company: readonly string[];
  /** With undefined, also a token without the claim. Absent: everybody who is not company-level. */
  member?: readonly (string | undefined)[];
}

/** How the payload of a verified token is read. */
export interface ClaimMapping {
  names: ClaimNames;
  roles: RoleValues;
}

/** The user that a verified token speaks for; null when it does not say who, or gives no role that is known here. */
export function readClaims(payload: JWTPayload, { names, roles }: ClaimMapping): KnownUser | null {
  const text = (name: keyof ClaimNames, maxLength: number): string | null =>
    validText(find(payload, names[name]), maxLength);
  const id = text('user_id', MAX_ID_LENGTH);
  const company_id = text('company_id', MAX_ID_LENGTH);
  const role = readRole(find(payload, names.role), roles);
  if (id === null || company_id === null || role === null) return null;
  // In a path that names the user, clients would take these for steps of it.
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
  const given = [claim].flat();
  const isOneOf = (values: readonly unknown[]): boolean => given.some((value) => values.includes(value));
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

/** An address that a browser may load a picture from: others can hold a script, or a picture of any size. */
const webAddress = (text: string | null): string | null => (text !== null && /^https?:\/\//i.test(text) ? text : null);

/** A claim that can be stored; anything else counts as absent. */
function validText(claim: unknown, maxLength: number): string | null {
  if (typeof claim !== 'string' || claim === '' || claim.length > maxLength) return null;
  return claim.isWellFormed() && !claim.includes('\0') ? claim : null;
}
