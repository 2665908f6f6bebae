import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Principal } from '../../auth/principal.js';
import type { Share } from './fair-shares.js';

/** Window of all limits. */
export const MINUTE_MS = 60_000;

/** Number of groups in an IPv6 address that identify the network. A client owns all addresses of its network. */
const NETWORK_GROUPS = 4;

const keys = new WeakMap<Principal, string>();

/**
 * Returns the key that a caller's requests are counted under. It is hashed, because user ids come from identity providers and
 * may be long.
 */
export function keyOfCaller(caller: Principal): string {
  const cached = keys.get(caller);
  if (cached !== undefined) return cached;
  const { kind, company_id, user_id, api_key_id } = caller;
  const key = `${kind} ${createHash('sha256')
    .update(JSON.stringify([company_id, user_id, api_key_id]))
    .digest('hex')}`;
  keys.set(caller, key);
  return key;
}

/** Returns the shares of a caller and its company in a bounded resource. */
export function sharesOf(caller: Principal, limits: { caller: number; company: number }): [Share, Share] {
  return [
    { key: keyOfCaller(caller), limit: limits.caller },
    { key: `company ${caller.company_id}`, limit: limits.company },
  ];
}

/** Returns the key for requests from an address: an IPv4 address (even if written as IPv6) or an IPv6 network. */
export function keyOfAddress(address: string): string {
  const [, version4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (version4 !== undefined) return `address ${version4}`;
  return `address ${isIPv6(address) ? networkOf(address) : address}`;
}

function networkOf(address: string): string {
  const [zoneless = ''] = address.split('%', 1);
  const [front = '', back] = zoneless.split('::', 2);
  const groups = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = back === undefined ? 0 : Math.max(0, 2 * NETWORK_GROUPS - groups.length - tail.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...tail];
  return all
    .slice(0, NETWORK_GROUPS)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}
