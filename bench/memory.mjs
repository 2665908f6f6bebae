import autocannon from 'autocannon';
import { mixedRequest } from './load.mjs';

const LOOKS = 5;

/**
 * The heap of the service, collected, after equal shares of many requests of all kinds in turn. The first look comes after
 * one share, when caches and compiled code are what they will be.
 */
export async function measureMemory(service, to, operations, data, amount) {
  const looks = [];
  for (let look = 0; look < LOOKS; look += 1) {
    await autocannon({
      url: to.url,
      connections: 8,
      amount: amount / LOOKS,
      requests: [{ setupRequest: (request) => ({ ...request, ...mixedRequest(to, operations, data) }) }],
    });
    const { heap_bytes, rss_bytes } = await service.figures();
    looks.push({ requests: ((look + 1) * amount) / LOOKS, heap_bytes, rss_bytes });
  }
  return looks;
}
