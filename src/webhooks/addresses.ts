import ipaddr from 'ipaddr.js';

/** Names that lead to the machine itself or into a network, whatever they resolve to. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;
/** All that is given out for the internet so far. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** One of the internet by its number, but of each machine's own platform in a large cloud, whose settings it tells. */
const PLATFORM = '168.63.129.16';

/** Which addresses are there beside those of the internet. */
export interface AddressRules {
  /** The loopback, also without TLS. */
  loopback: boolean;
}

/** Whether something may be sent to an IP address: one of the internet, in whatever way it is written. */
export function isAllowedAddress(address: string, { loopback }: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address in an IPv6 one is what it stands for.
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (range === 'loopback') return loopback;
  if (ip.toString() === PLATFORM) return false;
  return range === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST));
}

/** The host of a URL as a name or address, without the brackets and the dot at the end. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Whether a name is one of this computer, whatever anybody says. */
export const isLoopbackName = (host: string): boolean => LOOPBACK_NAME.test(host);

/** Why nothing can be sent to a URL, as far as it is known without asking for its address; undefined when it can. */
export function urlProblem(text: string, rules: AddressRules): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'the URL cannot be read';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the URL has to begin with https://';
  if (url.username !== '' || url.password !== '') return 'the URL must not hold credentials';
  // Any spelling of an IPv4 address has become the usual one.
  const host = hostOf(url);
  const isAddress = ipaddr.isValid(host);
  const isLoopback = isAddress ? ipaddr.process(host).range() === 'loopback' : isLoopbackName(host);
  if (isLoopback && rules.loopback) return undefined;
  if (url.protocol !== 'https:') return 'the URL has to begin with https://';
  const isRefused = isAddress ? !isAllowedAddress(host, rules) : LOCAL_NAMES.test(host) || !/\.[^.]+$/.test(host);
  return isRefused ? 'the address is not one of the internet' : undefined;
}
