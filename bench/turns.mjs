import { setTimeout as pause } from 'node:timers/promises';
import http from 'node:http';
import pg from 'pg';
import { send, quantile } from './load.mjs';
import { signToken, startService, environment } from './processes.mjs';

/* Measures turns by an agent that does no work, and the event streams of these turns. */

/** Settings for a service whose agent does no work. */
export const AGENT = { preload: ['idle-agent.js'] };
const POSTING = 16;
const STREAMS_EACH = 20;
const CONTENT = JSON.stringify({ content: 'Plan the bottling of next week.' });

/** Posts to all projects in the list, with `atOnce` concurrent requests. */
async function postAll({ url }, token, projects, atOnce) {
  const waiting = projects.values();
  const work = async () => {
    for (const project of waiting) await post(url, token, project);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const post = async (url, token, project) =>
  await send({
    url: `${url}/api/v1/projects/${project}/chat`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: CONTENT,
  });

/**
 * Returns the turns per second that a single process runs. With `worker`, the messages are posted beforehand, and then a worker
 * processes their turns. With `both`, the same process also accepts the posts. Each message is posted to a separate
 * conversation.
 */
export async function measureTurns(company, projects) {
  const token = await signToken(company, 'ada');
  const half = projects.length / 2;
  const api = await startService({ settings: { ROLE: 'api' } });
  await postAll(api, token, projects.slice(0, half), POSTING);
  await api.stop();
  const worker = await ended(half, () => startService({ settings: { ROLE: 'worker' }, ...AGENT }));
  await worker.served.stop();
  const service = await startService(AGENT);
  const both = await ended(half, async () => {
    await postAll(service, token, projects.slice(half), POSTING);
    return service;
  });
  await service.stop();
  return { worker: worker.rate, both: both.rate };
}

/**
 * Runs `work`, then waits until `count` turns have ended. Returns the turns per second between the ends of the first and the
 * last turn.
 */
async function ended(count, work) {
  const client = new pg.Client({ connectionString: environment.databaseUrl });
  await client.connect();
  const since = new Date();
  const served = await work();
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*)::integer AS count, extract(epoch FROM max(ended_at) - min(ended_at))::float AS seconds
         FROM turns WHERE keeps_events AND ended_at > $1`,
      [since],
    );
    const [{ count: done, seconds }] = rows;
    if (done >= count) {
      await client.end();
      return { served, rate: done / seconds };
    }
    await pause(50);
  }
}

/**
 * Returns the time, in milliseconds, from the 202 response to a post until the first event of its turn arrives on an open
 * stream. Runs a single turn at a time.
 */
export async function measureFirstEvent(service, company, projects) {
  const token = await signToken(company, 'ada');
  const times = [];
  for (const project of projects) {
    const stream = await openStream(service.url, token, project);
    await post(service.url, token, project);
    const accepted = performance.now();
    await stream.event('turn.started');
    // The event may arrive before the response to the post has been read.
    times.push(Math.max(0, stream.times.get('turn.started') - accepted));
    await stream.event('turn.ended');
    stream.close();
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/**
 * Opens many streams, each for a separate conversation, and posts a message to each conversation. Returns the latencies and the
 * memory per stream.
 */
export async function measureStreams(service, company, projects) {
  const users = Array.from({ length: Math.ceil(projects.length / STREAMS_EACH) }, (_, i) => `user-${i + 1}`);
  const tokens = await Promise.all(users.map((user) => signToken(company, user)));
  const before = await service.figures();
  const streams = await Promise.all(
    projects.map((project, i) => openStream(service.url, tokens[Math.floor(i / STREAMS_EACH)], project)),
  );
  const during = await service.figures();
  const posted = new Map();
  const waiting = streams.entries();
  const work = async () => {
    for (const [i] of waiting) {
      posted.set(i, performance.now());
      await post(service.url, tokens[Math.floor(i / STREAMS_EACH)], projects[i]);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  await Promise.all(streams.map((stream) => stream.event('turn.ended')));
  const times = streams.map((stream, i) => stream.times.get('turn.ended') - posted.get(i));
  for (const stream of streams) stream.close();
  return {
    streams: streams.length,
    heap_bytes_each: (during.heap_bytes - before.heap_bytes) / streams.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/**
 * Opens an event stream. Returns the arrival time of the first event of each type, and a function that waits for an event type.
 */
async function openStream(base, token, project) {
  const times = new Map();
  const waiting = new Map();
  const request = http.get(`${base}/api/v1/projects/${project}/chat/stream`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  });
  const response = await new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`A stream answered ${response.statusCode}`);
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (text) => {
    for (const [, type] of text.matchAll(/^event: (.*)$/gm)) {
      if (!times.has(type)) times.set(type, performance.now());
      waiting.get(type)?.();
    }
  });
  return {
    times,
    event: async (type) => {
      if (times.has(type)) return;
      const { promise, resolve } = withResolvers();
      waiting.set(type, resolve);
      await promise;
    },
    close: () => request.destroy(),
  };
}

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
