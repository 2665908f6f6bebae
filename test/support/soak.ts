import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { FileContentResponse } from '../../src/files/files.dto.js';
import { makeProject } from '../factories/make.js';
import type { Client } from './client.js';
import { RANDOM_AGENT } from './random-agent.js';
import { makeEnvironment, removeEnvironment, Service, type ServiceEnvironment } from './service.js';
import { waitUntilIdle } from './traffic.js';

export interface SoakOptions {
  conversations: number;
  /** Time during which messages are posted and processes are killed. */
  seconds: number;
  /**
   * Whether the turns of dead workers are taken over immediately at the end, without waiting for their leases to
   * expire.
   */
  hurries?: boolean;
  /** Maximum pause between two posts in a conversation, in milliseconds. */
  restMs: number;
  /** Maximum time between two kills of a process, in milliseconds. The actual time is random. */
  killWithinMs: number;
}

/** Counts of posts, turns, changes and kills during the soak. */
export interface SoakCounts {
  posted: number;
  turns: number;
  retried_turns: number;
  interrupted_turns: number;
  messages: number;
  files: number;
  card_changes: number;
  kills: number;
  api_kills: number;
}

export interface SoakProblems {
  lost_or_doubled_posts: number;
  conversations_with_gaps: number;
  unfinished_turns: number;
  waiting_messages: number;
  running_calls: number;
  partial_messages: number;
  overlapping_turns: number;
  turns_charged_wrongly: number;
  projects_charged_wrongly: number;
  failed_turns: number;
  files_without_call: number;
  files_missing_or_replaced: number;
  files_unlike_written: number;
  card_changes_missing_or_doubled: number;
  turns_with_event_gaps: number;
  endings_unlike_messages: number;
  miscounted_directories: number;
}

/** Number of files to read back through the API. */
const READ_BACK = 100;

/** Runs two API processes and two worker processes with many conversations, and keeps killing processes. */
export async function soak(options: SoakOptions): Promise<{ counts: SoakCounts; problems: SoakProblems }> {
  const environment = await makeEnvironment();
  const database = new pg.Client(environment.databaseUrl);
  await database.connect();
  const start = (ROLE: string, PORT = '0'): Promise<Service> =>
    Service.start({ environment, settings: { ...RANDOM_AGENT.settings, ROLE, PORT }, preload: RANDOM_AGENT.preload });
  const [apis, workers] = await Promise.all([
    Promise.all([start('api'), start('api')]),
    Promise.all([start('worker'), start('worker')]),
  ]);
  try {
    const { client, company, user } = await apis[0].session();
    const clients = [client, (await apis[1].session({ company, user })).client];
    const projects: string[] = [];
    for (let number = 0; number < options.conversations; number += 1) projects.push((await makeProject(client)).id);
    const over = Date.now() + options.seconds * 1000;
    const posts = projects.map((project) => converse(clients, project, over, options.restMs));
    const { kills, api_kills } = await killAll(apis, workers, start, over, options.killWithinMs);
    const posted = (await Promise.all(posts)).flat();
    // A turn that is still running renews its lease with its next output.
    if (options.hurries === true) await database.query(`UPDATE turns SET due_at = now() WHERE state <> 'ended'`);
    for (const project of projects) await waitUntilIdle(client, project);
    return {
      counts: { ...(await count(database)), posted: posted.length, kills, api_kills },
      problems: { ...(await look(database, posted)), files_unlike_written: await readBack(database, client) },
    };
  } finally {
    await Promise.all([...apis, ...workers].map((service) => service.stop()));
    await database.end();
    await removeEnvironment(environment satisfies ServiceEnvironment);
  }
}

/** Posts messages until the time is up. Returns the ids of the accepted messages. */
async function converse(clients: Client[], project: string, over: number, restMs: number): Promise<string[]> {
  const posted: string[] = [];
  while (Date.now() < over) {
    const client_msg_id = `${project}-${posted.length}`;
    const body = { content: client_msg_id, client_msg_id };
    const status = await send(clients, project, body);
    if (status === 202) posted.push(client_msg_id);
    // Occasionally repeats the post, as a client does after it lost the response.
    if (status === 202 && Math.random() < 0.1) await send(clients, project, body);
    await pause(Math.random() * restMs);
  }
  return posted;
}

/** Posts through a random process. Tries again if that process dies before it responds. */
async function send(clients: Client[], project: string, body: object): Promise<number> {
  for (;;) {
    const by = clients[Math.floor(Math.random() * clients.length)] as Client;
    const answer = await by.send('POST', `/projects/${project}/chat`, { body }).catch((error: unknown) => {
      // fetch reports a dead process only as a TypeError. `instanceof` fails, because Jest has its own TypeError class.
      if ((error as Error).name === 'TypeError') return null;
      throw error;
    });
    if (answer !== null) return answer.status;
    await pause(50);
  }
}

/**
 * Kills one process after another and replaces each process in the background. Every fourth process is an API. Returns
 * the number of kills.
 */
async function killAll(
  apis: Service[],
  workers: Service[],
  start: (role: string, port?: string) => Promise<Service>,
  over: number,
  withinMs: number,
): Promise<{ kills: number; api_kills: number }> {
  const replacements: Promise<unknown>[] = [];
  let api_kills = 0;
  for (;;) {
    await pause(withinMs * (0.5 + Math.random() / 2));
    if (Date.now() >= over) break;
    const isApi = replacements.length % 4 === 3;
    const [group, role] = isApi ? [apis, 'api'] : [workers, 'worker'];
    const victim = group.shift();
    if (victim === undefined) continue;
    await victim.kill();
    if (isApi) api_kills += 1;
    // A replacement API keeps the address, by which clients identify it.
    replacements.push(start(role, isApi ? new URL(victim.url).port : '0').then((next) => group.push(next)));
  }
  await Promise.all(replacements);
  return { kills: replacements.length, api_kills };
}

async function count(database: pg.Client): Promise<Omit<SoakCounts, 'posted' | 'kills' | 'api_kills'>> {
  const { rows } = await database.query(`
    SELECT (SELECT count(*)::integer FROM turns) AS turns,
           (SELECT count(*)::integer FROM turns WHERE attempts > 1) AS retried_turns,
           (SELECT count(*)::integer FROM turns WHERE outcome = 'interrupted') AS interrupted_turns,
           (SELECT count(*)::integer FROM messages) AS messages,
           (SELECT count(*)::integer FROM nodes WHERE source = 'agent') AS files,
           (SELECT coalesce(sum(version), 0)::integer FROM cards) AS card_changes`);
  return rows[0] as Omit<SoakCounts, 'posted' | 'kills' | 'api_kills'>;
}

/** Returns the number of newest files whose content is wrong. */
async function readBack(database: pg.Client, client: Client): Promise<number> {
  const { rows } = await database.query<{ project_id: string; path: string }>(
    `SELECT p.id AS project_id, n.name AS path FROM nodes n JOIN projects p ON p.workspace_id = n.container_id
      WHERE n.source = 'agent' ORDER BY n.modified DESC LIMIT $1`,
    [READ_BACK],
  );
  const texts = await Promise.all(
    rows.map(({ project_id, path }) =>
      client.post<FileContentResponse>('/files/content', { source: 'workspace', project_id, path }),
    ),
  );
  return texts.filter(({ text }, index) => text !== rows[index]?.path).length;
}

async function look(database: pg.Client, posted: string[]): Promise<Omit<SoakProblems, 'files_unlike_written'>> {
  const { rows } = await database.query(
    `WITH calls AS (
       SELECT m.project_id, m.turn_id, call ->> 'tool' AS tool, call ->> 'status' AS status,
              call -> 'input' ->> 'path' AS path, call -> 'result' ->> 'replaced' AS replaced,
              (call ->> 'started_at')::timestamptz AS started_at
         FROM messages m, json_array_elements(m.tool_calls) call WHERE m.role = 'assistant'
     ), files AS (
       SELECT p.id AS project_id, n.name AS path
         FROM nodes n JOIN projects p ON p.workspace_id = n.container_id WHERE n.source = 'agent'
     )
     SELECT
       (SELECT count(*)::integer FROM unnest($1::text[]) AS sent (id)
          FULL JOIN (SELECT client_msg_id, count(*) AS copies FROM messages WHERE role = 'user' GROUP BY 1) m ON m.client_msg_id = sent.id
         WHERE m.copies IS DISTINCT FROM 1 OR sent.id IS NULL) AS lost_or_doubled_posts,
       (SELECT count(*)::integer FROM (
          SELECT c.id FROM conversations c LEFT JOIN messages m ON m.conversation_id = c.id GROUP BY c.id
          HAVING count(m.id) <> c.last_sequence OR coalesce(max(m.sequence), 0) <> c.last_sequence
              OR count(DISTINCT m.sequence) <> c.last_sequence) c) AS conversations_with_gaps,
       (SELECT count(*)::integer FROM turns WHERE state <> 'ended') AS unfinished_turns,
       (SELECT count(*)::integer FROM messages WHERE turn_id IS NULL) AS waiting_messages,
       (SELECT count(*)::integer FROM calls WHERE status = 'running') AS running_calls,
       (SELECT count(*)::integer FROM messages WHERE is_partial) AS partial_messages,
       (SELECT count(*)::integer FROM turns earlier JOIN turns later USING (conversation_id)
         WHERE later.id > earlier.id
           AND (SELECT min(started_at) FROM calls WHERE turn_id = later.id) < earlier.ended_at) AS overlapping_turns,
       (SELECT count(*)::integer FROM turns t
          FULL JOIN (SELECT source_id, sum(credits) AS credits, count(*) AS entries FROM usage_ledger GROUP BY 1) l ON l.source_id = t.id
         WHERE t.id IS NULL OR t.credits <> coalesce(l.credits, 0) OR l.entries > 1) AS turns_charged_wrongly,
       (SELECT count(*)::integer FROM projects p
         WHERE total_credits <> (SELECT coalesce(sum(credits), 0) FROM usage_ledger WHERE project_id = p.id)
            OR active_turns <> 0) AS projects_charged_wrongly,
       (SELECT count(*)::integer FROM turns WHERE outcome = 'failed') AS failed_turns,
       (SELECT count(*)::integer FROM files f
         WHERE NOT EXISTS (SELECT FROM calls c WHERE c.project_id = f.project_id AND c.tool = 'write_file'
                              AND c.path = f.path AND c.status = 'completed')) AS files_without_call,
       (SELECT count(*)::integer FROM calls c
         WHERE c.tool = 'write_file' AND c.status = 'completed'
           AND (c.replaced IS DISTINCT FROM 'false'
                OR NOT EXISTS (SELECT FROM files f WHERE f.project_id = c.project_id AND f.path = c.path))) AS files_missing_or_replaced,
       (SELECT count(*)::integer FROM projects p
         WHERE (SELECT coalesce(sum(version), 0) FROM cards WHERE project_id = p.id)
            <> (SELECT count(*) FROM calls WHERE project_id = p.id AND tool = 'upsert_card' AND status = 'completed')) AS card_changes_missing_or_doubled,
       (SELECT count(*)::integer FROM turns t
         WHERE next_seq <> (SELECT count(*) FROM turn_events WHERE turn_id = t.id AND seq < t.next_seq)
            OR EXISTS (SELECT FROM turn_events WHERE turn_id = t.id AND seq >= t.next_seq)) AS turns_with_event_gaps,
       (SELECT count(*)::integer FROM turns t
          JOIN turn_events e ON e.turn_id = t.id AND e.seq = t.next_seq - 1
          LEFT JOIN messages m ON m.id = t.message_id
         WHERE e.type <> 'turn.ended' OR (e.data -> 'message' ->> 'content') IS DISTINCT FROM m.content) AS endings_unlike_messages,
       (SELECT count(*)::integer FROM nodes d
          LEFT JOIN (SELECT container_id, parent_id, count(*) AS entries FROM nodes GROUP BY 1, 2) c
            ON c.container_id = d.container_id AND c.parent_id = d.node_id
         WHERE d.entries <> coalesce(c.entries, 0)) AS miscounted_directories`,
    [posted],
  );
  return rows[0] as Omit<SoakProblems, 'files_unlike_written'>;
}
