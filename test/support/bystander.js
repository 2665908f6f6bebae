import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Worker thread that sends small requests one after another until it receives a message, and then reports its
 * measurements. It is a separate thread, so that the work of sending an attack does not distort its measurements of the
 * service.
 *
 * workerData: {url, token, project, localAddress}. The URL does not include `/api/v1`.
 */
const PACE_MS = 10;
const POST_EVERY_MS = 2_000;
/** Assumed interval between the requests of other callers while a request waits. */
const CALL_EVERY_MS = 50;
/** Maximum time to wait for the last response. A request that is still unanswered then counts with its elapsed time. */
const PATIENCE_MS = 5_000;
/** Length of a clock tick in /proc/stat. */
const TICK_MS = 10;

const { url, token, project, localAddress } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const reads = ['/me', '/projects?limit=10', `/projects/${project}`];

const latencies = [];
const statuses = {};
let isOver = false;
let pending;
parentPort.once('message', () => {
  isOver = true;
  setTimeout(() => pending.destroy(Object.assign(new Error(), { code: 'UNANSWERED' })), PATIENCE_MS).unref();
});

// Warms up the service, because the first requests to a process are slower than all later requests.
for (const path of reads) await send('GET', path);
parentPort.postMessage('ready');
let posted = performance.now();
for (let round = 0; !isOver; round += 1) {
  const posts = performance.now() - posted > POST_EVERY_MS;
  if (posts) posted = performance.now();
  const [began, stolen] = [performance.now(), stolenMs()];
  const status = await (posts
    ? send('POST', `/projects/${project}/chat`, JSON.stringify({ content: 'How far are we?' }))
    : send('GET', reads[round % reads.length]));
  statuses[status] = (statuses[status] ?? 0) + 1;
  // CPU time stolen by the hypervisor is not a delay caused by the service.
  latencies.push(Math.max(0, performance.now() - began - (stolenMs() - stolen)));
  await pause(PACE_MS);
}
agent.destroy();
parentPort.postMessage({ ...summary(latencies), statuses });

/** Returns the total CPU time that the hypervisor has given to other virtual machines. Works only on Linux. */
function stolenMs() {
  const [, , , , , , , , steal] = readFileSync('/proc/stat', 'latin1').slice(0, 200).split(/\s+/, 9);
  return Number(steal) * TICK_MS;
}

/**
 * Resolves to the status, or to the error code if the connection fails. Every fourth request opens a new connection.
 */
function send(method, path, body) {
  return new Promise((resolve) => {
    const request = http.request(`${url}/api/v1${path}`, {
      method,
      localAddress,
      agent: latencies.length % 4 === 3 ? false : agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    pending = request;
    request.once('error', (error) => resolve(error.code ?? error.message));
    request.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
      response.once('error', (error) => resolve(error.code ?? error.message));
    });
    request.end(body);
  });
}

/**
 * Summarizes the waiting times of callers who arrive at regular intervals.
 *
 * A slow request also counts for the callers who would have arrived while it was pending. Otherwise a ten-second stall
 * would count as a single slow request among hundreds of fast requests.
 */
function summary(waits) {
  const all = waits.flatMap((ms) =>
    Array.from({ length: 1 + Math.floor(ms / CALL_EVERY_MS) }, (_, missed) => ms - missed * CALL_EVERY_MS),
  );
  all.sort((a, b) => a - b);
  const at = (share) => Math.round((all[Math.ceil(all.length * share) - 1] ?? 0) * 10) / 10;
  return { count: waits.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
