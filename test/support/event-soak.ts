import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { makeProject } from '../factories/make.js';
import { Client } from './client.js';
import { RANDOM_AGENT } from './random-agent.js';
import { makeEnvironment, removeEnvironment, Service } from './service.js';
import { EventStream } from './stream.js';
import { waitUntilIdle } from './traffic.js';

export interface EventSoakOptions {
  projects: number;
  /** Number of changes made by requests, in addition to the changes made by turns and solves. */
  changes: number;
  /** Number of concurrent requests in each project. */
  writers: number;
  /** Number of readers per project. Readers reconnect at random. */
  readers: number;
  /** Maximum time between two kills of an API or worker process, in milliseconds. The actual time is random. */
  killWithinMs: number;
}

export interface EventSoak {
  events: number;
  kills: number;
  connections: number;
  /** Messages about violated guarantees. */
  problems: string[];
}

/** Everything that a reader has received over all its connections. */
interface Reading {
  project: string;
  events: { id: number; type: string; data: Record<string, unknown> }[];
  connections: number;
  resyncs: number;
}

/**
 * Runs two API processes and two worker processes and kills them in turn. During that time, random requests change the
 * cards, names, scenarios and folders of projects, the agent answers messages, and readers connect and disconnect.
 */
export async function eventSoak(options: EventSoakOptions): Promise<EventSoak> {
  const environment = await makeEnvironment();
  const database = new pg.Client(environment.databaseUrl);
  await database.connect();
  const start = (ROLE: string, PORT = '0'): Promise<Service> =>
    Service.start({
      environment,
      settings: { ...RANDOM_AGENT.settings, ROLE, PORT, RATE_LIMIT_PER_MINUTE: '0' },
      preload: RANDOM_AGENT.preload,
    });
  const [apis, workers] = await Promise.all([
    Promise.all([start('api'), start('api')]),
    Promise.all([start('worker'), start('worker')]),
  ]);
  try {
    const { client, company, token } = await apis[0].session();
    const urls = apis.map(({ url }) => url);
    const clients = urls.map((url) => new Client(url, token));
    const projects: string[] = [];
    for (let at = 0; at < options.projects; at += 1) projects.push((await makeProject(client)).id);
    const stop = new AbortController();
    const reading = await Promise.all(
      projects.flatMap((project) =>
        Array.from({ length: options.readers }, async (_, at) => {
          // A caller can open at most 20 streams.
          const reader = await apis[0].session({ company, user: `reader-${at}-${project}` });
          return { project, at, token: reader.token };
        }),
      ),
    );
    const readings = reading.map((one) => follow(urls, one.token, one.project, stop.signal));
    const left = { changes: options.changes };
    const writes = projects.flatMap((project) =>
      Array.from({ length: options.writers }, (_, at) => change(clients, project, left, at)),
    );
    const kills = killUntil(apis, workers, start, options.killWithinMs, () => left.changes <= 0);
    await Promise.all(writes);
    const killed = await kills;
    await database.query(`UPDATE turns SET due_at = now() WHERE state <> 'ended'`);
    for (const project of projects) await waitUntilIdle(client, project);
    await database.query(`UPDATE executions SET due_at = now() WHERE status = 'running'`);
    for (let open = 1; open > 0; await pause(200)) {
      const sql = `SELECT count(*)::integer AS open FROM executions WHERE status IN ('queued', 'running')`;
      open = (await database.query<{ open: number }>(sql)).rows[0]?.open ?? 0;
    }
    stop.abort();
    const read = await Promise.all(readings);
    const problems = [...(await lookAtEvents(database)), ...(await compare(database, read))];
    const { rows } = await database.query<{ events: number }>('SELECT count(*)::integer AS events FROM events');
    return {
      events: rows[0]?.events ?? 0,
      kills: killed,
      connections: read.reduce((sum, { connections }) => sum + connections, 0),
      problems,
    };
  } finally {
    await Promise.all([...apis, ...workers].map((service) => service.stop()));
    await database.end();
    await removeEnvironment(environment);
  }
}

const anyOf = <One>(many: readonly One[]): One => many[Math.floor(Math.random() * many.length)] as One;

/**
 * Makes random changes to a project until the total is reached. Requests without a response from a dying process are
 * not repeated.
 */
async function change(clients: Client[], project: string, left: { changes: number }, writer: number): Promise<void> {
  const at = `/projects/${project}`;
  const cards: { id: string; version: number }[] = [];
  const send = async <Body>(method: string, path: string, body?: object): Promise<Body | undefined> => {
    const answer = await anyOf(clients)
      .send<Body>(method, path, body === undefined ? {} : { body })
      .catch((error: unknown) => {
        if ((error as Error).name === 'TypeError') return null;
        throw error;
      });
    if (answer === null) await pause(50);
    return answer === null || answer.status >= 300 ? undefined : (answer.body as Body);
  };
  for (let step = 0; left.changes > 0; step += 1) {
    left.changes -= 1;
    const dice = Math.random();
    if (dice < 0.3) {
      const card = await send<{ id: string; version: number }>('POST', `${at}/cards`, {
        card_type: 'kpi',
        label: `${writer} ${step}`,
      });
      if (card !== undefined) cards.push(card);
    } else if (dice < 0.5 && cards.length > 0) {
      const card = anyOf(cards);
      const changed = await send<{ version: number }>('PATCH', `${at}/cards/${card.id}`, {
        version: card.version,
        label: `${writer} ${step}`,
      });
      card.version = changed?.version ?? card.version + 1;
    } else if (dice < 0.72 && cards.length > 0) {
      await send('DELETE', `${at}/cards/${cards.shift()?.id}`);
    } else if (dice < 0.85) {
      await send('PATCH', at, { name: `${writer} ${step}` });
    } else if (dice < 0.95) {
      await send('POST', '/files/mkdir', { source: 'workspace', project_id: project, path: `${writer}-${step}` });
    } else if (dice < 0.99) {
      await send('POST', `${at}/chat`, { content: `${writer} ${step}` });
    } else await send('POST', `${at}/solve/executions`, { is_test: true });
  }
}

/** Reads a project's events until the soak ends. Reconnects to a random process after a random time. */
async function follow(urls: string[], token: string, project: string, over: AbortSignal): Promise<Reading> {
  const reading: Reading = { project, events: [], connections: 0, resyncs: 0 };
  let last = '0';
  for (let isLast = false; ;) {
    isLast = over.aborted;
    const stream = await EventStream.open(anyOf(urls), token, project, {
      of: 'events',
      headers: { 'last-event-id': last },
    }).catch(() => undefined);
    if (stream === undefined || stream.status !== 200) {
      stream?.close();
      await pause(100);
      continue;
    }
    reading.connections += 1;
    // The last connection starts after all changes are made and stays open for 3 seconds to receive the remaining
    // events.
    const until = Date.now() + (isLast ? 3_000 : 100 + Math.random() * 1_500);
    while (!stream.isOver && Date.now() < until && (isLast || !over.aborted)) await pause(25);
    stream.close();
    for (const { id, event, data } of stream.events) {
      if (event === 'resync' || id === undefined) reading.resyncs += 1;
      else {
        reading.events.push({ id: Number(id), type: event, data });
        last = id;
      }
    }
    if (isLast && !stream.isOver) return reading;
    if (isLast && Date.now() >= until) return reading;
  }
}

/**
 * Kills one process after another, alternating between APIs and workers, and starts a replacement for each of them.
 * Returns the number of kills.
 */
async function killUntil(
  apis: Service[],
  workers: Service[],
  start: (role: string, port?: string) => Promise<Service>,
  withinMs: number,
  isOver: () => boolean,
): Promise<number> {
  const replacements: Promise<unknown>[] = [];
  while (!isOver()) {
    await pause(withinMs * (0.5 + Math.random() / 2));
    if (isOver()) break;
    const isApi = replacements.length % 2 === 0;
    const [group, role] = isApi ? [apis, 'api'] : [workers, 'worker'];
    if (group.length < 2) continue;
    const victim = group.shift();
    if (victim === undefined) continue;
    await victim.kill();
    const { port } = new URL(victim.url);
    replacements.push(start(role, isApi ? port : '0').then((next) => group.push(next)));
  }
  await Promise.all(replacements);
  return replacements.length;
}

/** Checks that every committed change has its events and that there are no other events. */
async function lookAtEvents(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<Record<string, number>>(`
    WITH told AS (
      SELECT e.stream_id AS project_id, c.id::uuid AS card_id, count(*) AS changes
        FROM events e, json_array_elements_text(e.data -> 'card_ids') c (id) WHERE e.type = 'cards.changed' GROUP BY 1, 2
    ), ended AS (SELECT e.data ->> 'turn_id' AS id, count(*) AS events FROM events e WHERE type = 'turn.ended' GROUP BY 1)
    SELECT
      (SELECT count(*)::integer FROM event_heads h
        WHERE (h.last_id, h.last_id) <> (SELECT count(*), coalesce(max(id), 0) FROM events WHERE stream_id = h.stream_id)) AS gaps,
      (SELECT count(*)::integer FROM events e JOIN events f ON f.stream_id = e.stream_id AND f.id = e.id + 1 AND f.at < e.at) AS backwards,
      (SELECT count(*)::integer FROM cards c LEFT JOIN told t ON t.card_id = c.id WHERE t.changes IS DISTINCT FROM c.version) AS cards,
      (SELECT count(*)::integer FROM told t WHERE NOT EXISTS (SELECT FROM cards c WHERE c.id = t.card_id)
          AND (SELECT count(*) FROM events e, json_array_elements_text(e.data -> 'removed_card_ids') r (id)
                WHERE e.stream_id = t.project_id AND e.type = 'cards.changed' AND r.id::uuid = t.card_id) <> 1) AS removed_cards,
      (SELECT count(*)::integer FROM messages m
        WHERE (SELECT count(*) FROM events e WHERE e.stream_id = m.project_id AND e.type = 'message.created'
                  AND e.data ->> 'message_id' = m.id::text) <> 1) AS messages,
      (SELECT count(*)::integer FROM turns t LEFT JOIN ended e ON e.id = t.id::text WHERE e.events IS DISTINCT FROM 1) AS turns,
      (SELECT count(*)::integer FROM events e WHERE type = 'turn.ended' AND NOT EXISTS (
         SELECT FROM events d WHERE d.stream_id = e.stream_id AND d.type = 'turn.dispatched' AND d.id < e.id
            AND d.data ->> 'turn_id' = e.data ->> 'turn_id')) AS turns_before_their_start,
      (SELECT count(*)::integer FROM executions x
        WHERE (SELECT array_agg(e.data ->> 'status' ORDER BY e.id) FROM events e
                WHERE e.stream_id = x.project_id AND e.type = 'execution.changed' AND e.data ->> 'execution_id' = x.id::text)
              IS DISTINCT FROM ARRAY['queued', 'running', x.status]) AS executions,
      (SELECT count(*)::integer FROM nodes n JOIN projects p ON p.workspace_id = n.container_id
        WHERE n.parent_id = 0 AND n.kind = 'directory' AND NOT n.implied
          AND (SELECT count(*) FROM events e WHERE e.stream_id = p.id AND e.type = 'files.changed'
                  AND e.data -> 'paths' ->> 0 = n.name) <> 1) AS folders`);
  return Object.entries(rows[0] ?? {}).flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
}

/** Checks that every reader received every event exactly once and in order. */
async function compare(database: pg.Client, readings: Reading[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { project, events, resyncs } of readings) {
    const { rows } = await database.query<{ id: number; type: string; data: object }>(
      'SELECT id::integer, type, data FROM events WHERE stream_id = $1 ORDER BY id',
      [project],
    );
    if (resyncs > 0) problems.push(`${project}: ${resyncs} times sent to read anew`);
    const wrong = rows.findIndex(
      ({ id, type, data }, at) =>
        events[at]?.id !== id ||
        events[at].type !== type ||
        JSON.stringify(events[at].data['data']) !== JSON.stringify(data),
    );
    if (wrong >= 0 || events.length !== rows.length) {
      const around = events.slice(Math.max(0, wrong - 2), wrong + 3).map(({ id }) => id);
      problems.push(
        `${project}: ${rows.length} events, ${events.length} sent; wrong from ${wrong + 1} on: ${around.join(' ')}`,
      );
    }
  }
  return problems;
}
