import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * A thread that sends small requests, one after the other, until it is told to stop; then it answers what it saw. In a
 * thread of its own, so that the work of the sender of an attack does not count as the service's.
 *
 * workerData: {url, token, project, localAddress}, the URL without `/api/v1`.
 */
const PACE_MS = 10;
const POST_EVERY_MS = 2_000;
/** A caller is assumed to come so often while another waits. */
const CALL_EVERY_MS = 50;
/** What is not answered so long after the end counts as it is. */
const PATIENCE_MS = 5_000;
/** The unit of /proc/stat. */
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

// The first requests of a process are slower than all that follow.
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
  // A neighbour's work on a shared machine is no wait that the service makes.
  latencies.push(Math.max(0, performance.now() - began - (stolenMs() - stolen)));
  await pause(PACE_MS);
}
agent.destroy();
parentPort.postMessage({ ...summary(latencies), statuses });

/** How long the processors of this virtual machine have worked for others so far, together. Needs Linux. */
function stolenMs() {
  const [, , , , , , , , steal] = readFileSync('/proc/stat', 'latin1').slice(0, 200).split(/\s+/, 9);
  return Number(steal) * TICK_MS;
}

/** The status, or the code of what went wrong on the connection. Every fourth request needs a connection of its own. */
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
 * What callers waited, whenever they came: while one request waits, those that others would have sent meanwhile count as
 * well. Else a standstill of ten seconds would be one slow request among hundreds of quick ones.
 */
function summary(waits) {
  const all = waits.flatMap((ms) =>
    Array.from({ length: 1 + Math.floor(ms / CALL_EVERY_MS) }, (_, missed) => ms - missed * CALL_EVERY_MS),
  );
  all.sort((a, b) => a - b);
  const at = (share) => Math.round((all[Math.ceil(all.length * share) - 1] ?? 0) * 10) / 10;
  return { count: waits.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
