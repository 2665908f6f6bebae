import autocannon from 'autocannon';
import { mixedRequest } from './load.mjs';

const LOOKS = 5;

/**
 * Measures the service's heap after garbage collections, at regular intervals during many requests of all kinds. The first
 * measurement comes after the first interval, when caches and compiled code have reached their usual size.
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
