import { setTimeout as pause } from 'node:timers/promises';
import http from 'node:http';
import pg from 'pg';
import { send, quantile } from './load.mjs';
import { signToken, startService, environment } from './processes.mjs';

/* Turns of an agent that does nothing, and streams that show them. */

/** Settings of a service whose agent does nothing. */
export const AGENT = { preload: ['idle-agent.js'] };
const POSTING = 16;
const STREAMS_EACH = 20;
const CONTENT = JSON.stringify({ content: 'Plan the bottling of next week.' });

/** Posts to every project of the list, `atOnce` at a time. */
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
 * Turns a second of one process: messages are posted to as many conversations, whose turns one worker then ends. Without
 * posts beside them, as `worker`; with the posts in the same process, as `both`.
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

/** Runs `work`, waits for that many turns to end, and answers how many ended in a second, from the first to the last. */
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

/** Milliseconds from the 202 of a post to the first event of its turn on an open stream, one turn at a time. */
export async function measureFirstEvent(service, company, projects) {
  const token = await signToken(company, 'ada');
  const times = [];
  for (const project of projects) {
    const stream = await openStream(service.url, token, project);
    await post(service.url, token, project);
    const accepted = performance.now();
    await stream.event('turn.started');
    // The event can be here before the answer to the post was read.
    times.push(Math.max(0, stream.times.get('turn.started') - accepted));
    await stream.event('turn.ended');
    stream.close();
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Many open streams, each of a conversation of its own that gets a message: what they wait for, and what they take. */
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

/** An event stream: when each kind of event came first, and a promise of it. */
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
