import { deepStrictEqual } from 'node:assert/strict';
import autocannon from 'autocannon';

const CONNECTIONS = 8;

/** Returns one side of a comparison: a server under load. `token` returns the bearer token for a company. */
export const side = (name, served, token) => ({
  name,
  served,
  url: `${served.url}/api/v1`,
  token,
  counts: new Map(),
});

/** Returns the next request for an operation to a side, in a format for `fetch`, autocannon and other clients. */
export function nextRequest({ name, url, token, counts }, operation, data) {
  const n = counts.get(operation) ?? 0;
  counts.set(operation, n + 1);
  const request = operation.request(data, n, name);
  return {
    ...request,
    url: url + request.path,
    headers: { authorization: `Bearer ${token(operation)}`, 'content-type': 'application/json' },
  };
}

/** Sends a request and returns the status and text of its response. */
export async function send({ url, ...request }) {
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request.method} ${url} answered ${response.status} ${text}`);
  return { status: response.status, text };
}

/**
 * Checks that both sides give the same response. All fields must be equal, except for the fields in the operation's `differs`.
 *
 * @returns whether the responses are identical byte for byte
 */
export async function compare(sides, operation, data) {
  const [one, other] = await Promise.all(sides.map(async (to) => await send(nextRequest(to, operation, data))));
  if (one.text === other.text && one.status === other.status) return true;
  const fields = [one, other].map(({ status, text }) => ({
    status,
    body: without(JSON.parse(text), operation.differs),
  }));
  deepStrictEqual(fields[0], fields[1], `${operation.name}: the floor answers something else`);
  return false;
}

function without(body, paths = []) {
  for (const path of paths) {
    const names = path.split('.');
    const holder = names.slice(0, -1).reduce((value, name) => value[name], body);
    delete holder[names.at(-1)];
  }
  return body;
}

/**
 * Puts a side under load for some seconds. Returns requests per second, processor time per request in µs, and all latencies in
 * ms.
 */
async function load(to, operation, data, seconds) {
  const latencies = [];
  const instance = autocannon({
    url: to.url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest: (request) => ({ ...request, ...autocannonRequest(nextRequest(to, operation, data)) }) }],
  });
  instance.on('response', (_client, status, _bytes, ms) => {
    if (status !== (operation.status ?? 200)) latencies.failed = status;
    latencies.push(ms);
  });
  const before = await to.served.figures();
  const started = performance.now();
  await instance;
  const rate = latencies.length / ((performance.now() - started) / 1000);
  const after = await to.served.figures();
  if (latencies.failed !== undefined) throw new Error(`${operation.name}: ${to.name} answered ${latencies.failed}`);
  return { rate, cpu_us: (after.cpu_us - before.cpu_us) / latencies.length, latencies };
}

/** Returns the next request for the next operation, for autocannon. */
export function mixedRequest(to, operations, data) {
  const n = to.counts.get(mixedRequest) ?? 0;
  to.counts.set(mixedRequest, n + 1);
  return autocannonRequest(nextRequest(to, operations[n % operations.length], data));
}

const autocannonRequest = ({ method, path, headers, body }) => ({ method, path: `/api/v1${path}`, headers, body });

/**
 * Warms up each side for `warmUp` seconds, then puts both sides under load alternately, several times. Without the warm-up, Node
 * would not have optimized the code yet, unlike in a service that runs for days.
 *
 * @returns the measurements of each side and their ratio
 */
export async function duel(sides, operation, data, { warmUp, rounds, seconds }) {
  const results = sides.map(() => ({ rates: [], cpu: [], latencies: [] }));
  for (const to of sides) await load(to, operation, data, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const { rate, cpu_us, latencies } = await load(sides[index], operation, data, seconds);
      results[index].rates.push(rate);
      results[index].cpu.push(cpu_us);
      results[index].latencies.push(...latencies);
    }
  }
  const [service, floor] = results.map(({ rates, cpu, latencies }) => ({
    rate: median(rates),
    cpu_us: median(cpu),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }));
  const ratios = results[0].rates.map((rate, round) => rate / results[1].rates[round]);
  return { service, floor, ratio: median(ratios) };
}

/**
 * Returns the p50 of several actions in milliseconds. The actions run alternately, never concurrently, and return their
 * duration.
 */
export async function latencies(actions, rounds) {
  const times = actions.map(() => []);
  for (let round = -Math.ceil(rounds / 5); round < rounds; round += 1) {
    for (const [index, act] of actions.entries()) {
      const ms = await act();
      if (round >= 0) times[index].push(ms);
    }
  }
  return times.map((all) => quantile(all, 0.5));
}

/** Returns the duration of an action in milliseconds. */
export async function timed(act) {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

export const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
export const median = (values) => quantile(values, 0.5);
