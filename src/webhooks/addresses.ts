import ipaddr from 'ipaddr.js';

/** Names of the machine itself or of local networks, regardless of the addresses they resolve to. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;
/** All IPv6 addresses currently allocated for the internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public address of the Azure platform, which would reveal settings of this machine. */
const PLATFORM = '168.63.129.16';

/** Exceptions to the rule that only public addresses are allowed. */
export interface AddressRules {
  /** Whether loopback addresses are allowed, even without TLS. */
  loopback: boolean;
}

/** Returns whether requests may be sent to an IP address, in any notation. Only public addresses are allowed. */
export function isAllowedAddress(address: string, { loopback }: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  // Unwraps an IPv4 address that is embedded in an IPv6 address.
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (range === 'loopback') return loopback;
  if (ip.toString() === PLATFORM) return false;
  return range === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST));
}

/** Returns the host of a URL as a name or address, without brackets and a trailing dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Returns whether a name refers to this machine, regardless of name servers. */
export const isLoopbackName = (host: string): boolean => LOOPBACK_NAME.test(host);

/** Returns the reason why no request can be sent to a URL, or undefined. Does not resolve the host name. */
export function urlProblem(text: string, rules: AddressRules): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'the URL is invalid';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the URL must start with https://';
  if (url.username !== '' || url.password !== '') return 'the URL must not contain credentials';
  // The URL parser has normalized all notations of IPv4 addresses.
  const host = hostOf(url);
  const isAddress = ipaddr.isValid(host);
  const isLoopback = isAddress ? ipaddr.process(host).range() === 'loopback' : isLoopbackName(host);
  if (isLoopback && rules.loopback) return undefined;
  if (url.protocol !== 'https:') return 'the URL must start with https://';
  const isRefused = isAddress ? !isAllowedAddress(host, rules) : LOCAL_NAMES.test(host) || !/\.[^.]+$/.test(host);
  return isRefused ? 'the address is not on the public internet' : undefined;
}
