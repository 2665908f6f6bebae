import { createHash } from 'node:crypto';
import { COMPANY, POSTS_COMPANY, USER } from './data.mjs';

/*
 * Operations to measure. Each consists of a request, the floor's implementation of the same response, and the target for the
 * service's requests per second as a share of the floor's.
 *
 * `n` is the number of the request to a side. `side` is `service` or `floor`: operations that change data use separate data for
 * each side.
 */

const WINDOW = 200;
const PAGE = 50;
/** Number of files that are moved back and forth. It exceeds the maximum number of concurrent requests. */
const MOVED = 64;

const get = (path) => ({ method: 'GET', path });
const post = (path, body) => ({ method: 'POST', path, body: JSON.stringify(body) });

const MESSAGE = `m.id, m.project_id, m.conversation_id, m.role, m.content, m.sequence, iso_timestamp(m.created_at) AS created_at,
  m.affected_card_ids, m.is_partial, m.file_ids, m.client_msg_id, m.api_key_name, m.api_key_prefix, m.user_id, m.user_name,
  m.user_avatar_url, m.content_segments, m.tool_calls`;
const CONVERSATION = `
  SELECT c.id, c.last_sequence FROM conversations c JOIN projects p ON p.id = c.project_id
   WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL AND c.is_default`;
const NEWEST = `
  (SELECT coalesce(json_agg(newest), '[]') FROM
    (SELECT ${MESSAGE} FROM messages m
      WHERE m.conversation_id = c.id AND m.sequence > c.last_sequence - $3 ORDER BY m.sequence) newest)`;

const COMPLETENESS = `json_build_object(
  'all_constraints_classified', p.all_constraints_classified, 'all_variables_provided', p.all_variables_provided,
  'data_available', p.data_available, 'kpis_defined', p.kpis_defined, 'objective_drafted', p.objective_drafted,
  'objectives_defined', p.objectives_defined, 'production_requirements_defined', p.production_requirements_defined,
  'feasibility_result', p.feasibility_result, 'overall', p.overall) AS completeness`;
const CREATOR = `(SELECT json_build_object('display_name', u.display_name, 'id', u.id, 'avatar_url', u.avatar_url)
  FROM users u WHERE u.company_id = p.company_id AND u.id = p.created_by) AS created_by`;

/** Returns the SQL for a listing. The SQL selects the rows as `item`, and their total number. */
const listing = (name, items, total) =>
  `SELECT json_build_object('${name}', (SELECT coalesce(json_agg(item), '[]') FROM (${items}) item),
                            'limit', ${PAGE}, 'offset', 0, 'total', (${total}))::text AS json`;

/**
 * Returns the floor for an operation whose JSON response is built by a single statement. The statement's parameters are the
 * company, the id in the path, and `more`.
 */
const statement =
  (text, ...more) =>
  async ({ query }, { id }) => {
    const parameters = [COMPANY, id, ...more].filter((value) => value !== undefined);
    const [row] = await query(text, parameters);
    return row.json;
  };

const CONTAINER = `SELECT k.id FROM projects p JOIN containers k ON k.id = p.workspace_id
  WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL AND k.deleted_at IS NULL`;
const LIST_DIRECTORY = `
  WITH place AS (
    SELECT d.container_id, d.node_id, d.entries FROM nodes d
     WHERE d.container_id = (${CONTAINER}) AND d.parent_id = 0 AND d.name = $3 AND d.kind = 'directory'
  ), files AS (
    SELECT $3 || '/' || f.name AS path, f.size, f.content_type, iso_timestamp(f.modified) AS modified, f.source, f.file_id AS id
      FROM place, LATERAL (SELECT * FROM nodes f WHERE f.container_id = place.container_id AND f.parent_id = place.node_id
                            ORDER BY f.name LIMIT ${PAGE}) f
  )
  SELECT json_build_object('entries', (SELECT coalesce(json_agg(files), '[]') FROM files), 'directories', '[]'::json,
           'limit', ${PAGE}, 'offset', 0, 'total', place.entries)::text AS json
    FROM place`;

/**
 * Statements of two round trips: the first takes the locks, and the second makes the changes. The locks are the same as in the
 * service.
 */
const MAKE_DIRECTORY = `
  WITH taken AS (UPDATE containers SET next_node = next_node + 1 WHERE id = $1 RETURNING next_node - 1 AS node_id)
  INSERT INTO nodes (container_id, node_id, parent_id, name, kind) SELECT $1, node_id, 0, $2, 'directory' FROM taken`;
const MOVE = `
  UPDATE nodes n SET parent_id = d.node_id, name = $5
    FROM nodes s, nodes d
   WHERE s.container_id = $1 AND s.parent_id = 0 AND s.name = $2
     AND d.container_id = $1 AND d.parent_id = 0 AND d.name = $4 AND d.kind = 'directory'
     AND n.container_id = $1 AND n.parent_id = s.node_id AND n.name = $3`;

export const OPERATIONS = [
  {
    name: `sync, ${WINDOW} messages`,
    target: 0.75,
    route: 'GET /projects/:id/chat/sync',
    request: ({ operations }) => get(`/projects/${operations}/chat/sync`),
    floor: statement(
      `SELECT json_build_object('conversation_id', c.id, 'messages', ${NEWEST},
                'turn', json_build_object('state', coalesce(t.state, 'idle'), 'message_id', t.message_id, 'turn_id', t.id,
                                          'next_seq', coalesce(t.next_seq, 0)))::text AS json
         FROM (${CONVERSATION}) c LEFT JOIN turns t ON t.conversation_id = c.id AND t.state <> 'ended'`,
      WINDOW,
    ),
  },
  {
    name: `history, ${WINDOW} messages`,
    target: 0.75,
    route: 'GET /projects/:id/chat',
    request: ({ operations }) => get(`/projects/${operations}/chat`),
    floor: statement(
      `SELECT json_build_object('messages', ${NEWEST}, 'limit', ${WINDOW}, 'offset', 0, 'total', c.last_sequence)::text AS json
         FROM (${CONVERSATION}) c`,
      WINDOW,
    ),
  },
  {
    name: 'get project',
    target: 0.35,
    route: 'GET /projects/:id',
    request: ({ operations }) => get(`/projects/${operations}`),
    floor: statement(
      `SELECT row_to_json(project)::text AS json FROM (
         SELECT p.id, p.name, p.description, p.short_description, iso_timestamp(p.created_at) AS created_at,
                iso_timestamp(p.updated_at) AS updated_at, ${CREATOR}, ${COMPLETENESS}, p.current_snapshot_id,
                p.objective_components, p.objective_confirmed, p.objective_description, p.objective_type,
                d.handle AS origin_deployment_handle, p.run_setup_status, p.total_credits, p.workspace_mode, p.config_digest,
                p.visibility, 'owner' AS role
           FROM projects p LEFT JOIN deployments d ON d.id = p.origin_deployment_id
          WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL) project`,
    ),
  },
  {
    name: `list ${PAGE} projects`,
    target: 0.35,
    route: 'GET /projects',
    request: () => get('/projects'),
    floor: statement(
      listing(
        'projects',
        `SELECT p.id, p.name, iso_timestamp(p.created_at) AS created_at, iso_timestamp(p.updated_at) AS updated_at, ${CREATOR},
                p.card_count, ${COMPLETENESS}, p.objective_components, p.objective_confirmed,
                CASE WHEN p.active_solves > 0 THEN 'solving' WHEN p.active_turns > 0 THEN 'working' ELSE 'idle' END AS status,
                p.total_credits, p.workspace_mode, p.visibility, NULL AS deleted_at
           FROM projects p WHERE p.company_id = $1 AND p.deleted_at IS NULL
          ORDER BY p.updated_at DESC, p.id DESC LIMIT ${PAGE}`,
        'SELECT count(*) FROM projects WHERE company_id = $1 AND deleted_at IS NULL',
      ),
    ),
  },
  {
    name: 'list 20 cards',
    target: 0.35,
    route: 'GET /projects/:id/cards',
    request: ({ operations }) => get(`/projects/${operations}/cards`),
    floor: statement(
      `SELECT json_build_object('cards', coalesce(json_agg(card), '[]'))::text AS json FROM (
         SELECT c.id, c.project_id, c.card_type, c.label, c.status, c.version, c.data, c.gaps,
                iso_timestamp(c.created_at) AS created_at, iso_timestamp(c.updated_at) AS updated_at, c.instance_data
           FROM cards c JOIN projects p ON p.id = c.project_id
          WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL ORDER BY c.created_at, c.id) card`,
    ),
  },
  {
    name: `list ${PAGE} executions`,
    target: 0.35,
    route: 'GET /projects/:id/solve/executions',
    request: ({ operations }) => get(`/projects/${operations}/solve/executions`),
    floor: statement(
      listing(
        'executions',
        `SELECT e.id, e.project_id, e.status, e.triggered_by, iso_timestamp(e.created_at) AS created_at, e.input_file_ids, e.is_test
           FROM executions e JOIN projects p ON p.id = e.project_id
          WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL
          ORDER BY e.created_at DESC, e.id DESC LIMIT ${PAGE}`,
        'SELECT count(*) FROM executions WHERE project_id = $2',
      ),
    ),
  },
  {
    name: `list ${PAGE} conversations`,
    target: 0.35,
    route: 'GET /projects/:id/conversations',
    request: ({ operations }) => get(`/projects/${operations}/conversations`),
    floor: statement(
      listing(
        'conversations',
        `SELECT c.id, c.title, c.is_default, iso_timestamp(c.created_at) AS created_at, iso_timestamp(c.updated_at) AS updated_at
           FROM conversations c JOIN projects p ON p.id = c.project_id
          WHERE p.company_id = $1 AND p.id = $2 AND p.deleted_at IS NULL
          ORDER BY c.updated_at DESC, c.id DESC LIMIT ${PAGE}`,
        'SELECT count(*) FROM conversations WHERE project_id = $2',
      ),
    ),
  },
  {
    name: `list ${PAGE} deployments`,
    target: 0.35,
    route: 'GET /deployments',
    request: () => get('/deployments'),
    floor: statement(
      listing(
        'deployments',
        `SELECT d.id, d.name, d.handle, iso_timestamp(d.created_at) AS created_at, iso_timestamp(d.updated_at) AS updated_at
           FROM deployments d WHERE d.company_id = $1 AND d.deleted_at IS NULL
          ORDER BY d.created_at DESC, d.id DESC LIMIT ${PAGE}`,
        'SELECT count(*) FROM deployments WHERE company_id = $1 AND deleted_at IS NULL',
      ),
    ),
  },
  {
    name: `list directory, ${PAGE} files`,
    target: 0.35,
    route: 'POST /files/list',
    request: ({ operations }) => post('/files/list', { source: 'workspace', project_id: operations, path: 'd7' }),
    floor: async ({ query }, { body }) => {
      const [row] = await query(LIST_DIRECTORY, [COMPANY, body.project_id, body.path]);
      return row.json;
    },
  },
  {
    name: 'make directory',
    route: 'POST /files/mkdir',
    request: ({ operations }, n, side) =>
      post('/files/mkdir', { source: 'workspace', project_id: operations, path: `made by ${side} ${n}` }),
    floor: async ({ transaction }, { body }) => {
      await transaction(async (query) => {
        const [{ id }] = await query(`${CONTAINER} FOR NO KEY UPDATE OF k`, [COMPANY, body.project_id]);
        await query(MAKE_DIRECTORY, [id, body.path]);
      });
      return JSON.stringify({ created: true, path: body.path });
    },
    differs: ['path'],
  },
  {
    name: 'move a file',
    route: 'POST /files/batch-move',
    request: ({ operations }, n, side) => {
      const file = `file ${(side === 'floor' ? 1 : 1 + MOVED) + (n % MOVED)}`;
      const places = [`from/${file}`, `to/${file}`];
      const [source_path, dest_path] = Math.floor(n / MOVED) % 2 === 0 ? places : places.toReversed();
      return post('/files/batch-move', {
        source: 'workspace',
        project_id: operations,
        moves: [{ source_path, dest_path }],
      });
    },
    floor: async ({ transaction }, { body }) => {
      const [{ source_path, dest_path }] = body.moves;
      await transaction(async (query) => {
        const [{ id }] = await query(`${CONTAINER} FOR NO KEY UPDATE OF k`, [COMPANY, body.project_id]);
        await query(MOVE, [id, ...source_path.split('/'), ...dest_path.split('/')]);
      });
      return JSON.stringify({ moved: 1, errors: [] });
    },
  },
  {
    name: 'chat post to an idle conversation',
    target: 0.6,
    status: 202,
    route: 'POST /projects/:id/chat',
    company: POSTS_COMPANY,
    request: ({ posts }, n, side) => {
      // Each request uses another project until all projects have been used.
      const half = posts.length / 2;
      const project = posts[(side === 'floor' ? 0 : half) + (n % half)];
      return post(`/projects/${project}/chat`, { content: 'Plan the bottling of next week.', client_msg_id: `${n}` });
    },
    floor: postMessage,
    differs: ['message.id', 'message.project_id', 'message.conversation_id', 'message.created_at'],
  },
];

/** Runs the transaction that posts to an idle conversation, with the same statements as the service. */
async function postMessage({ transaction }, { id, body }) {
  const { content, client_msg_id } = body;
  const key = hash(`["user","${USER}","${client_msg_id}"]`);
  return await transaction(async (ask) => {
    const [, [{ id: conversation }], , [situation], cards] = await Promise.all([
      ask('SELECT * FROM projects WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE', [
        POSTS_COMPANY,
        id,
      ]),
      ask(
        `SELECT c.id, c.project_id, c.last_sequence FROM conversations c
          WHERE c.project_id = $1 AND c.is_default FOR NO KEY UPDATE`,
        [id],
      ),
      ask('SELECT m.id, m.payload_hash FROM messages m WHERE m.project_id = $1 AND m.client_msg_key = $2', [id, key]),
      ask(
        `SELECT t.id, t.state, (SELECT count(*)::integer FROM messages WHERE conversation_id = c.id AND turn_id IS NULL) AS waiting,
                uuidv7() AS new_message_id, uuidv7() AS new_turn_id
           FROM conversations c
           LEFT JOIN turns t ON t.conversation_id = c.id AND t.state <> 'ended'
          WHERE c.project_id = $1 AND c.is_default`,
        [id],
      ),
      ask('SELECT * FROM cards WHERE project_id = $1 ORDER BY created_at, id', [id]),
    ]);
    const { new_message_id, new_turn_id } = situation;
    const message_created = { conversation_id: conversation, message_id: new_message_id, role: 'user' };
    const turn_dispatched = { conversation_id: conversation, turn_id: new_turn_id };
    const [, [{ json }]] = await Promise.all([
      ask(
        `WITH waiting AS (
           SELECT id, user_id, sequence FROM messages WHERE conversation_id = $1 AND turn_id IS NULL
         ), turn AS (
           INSERT INTO turns (id, conversation_id, project_id, company_id, user_id)
           VALUES ($5, $1, $2, $3, coalesce((SELECT user_id FROM waiting ORDER BY sequence LIMIT 1), $4)) RETURNING id
         ), taken AS (
           UPDATE messages m SET turn_id = turn.id FROM turn, waiting WHERE m.id = waiting.id
         ), counted AS (
           UPDATE projects SET active_turns = active_turns + 1, updated_at = now() WHERE id = $2
         )
         SELECT id FROM turn`,
        [conversation, id, POSTS_COMPANY, USER, new_turn_id],
      ),
      ask(
        `WITH c AS (
           UPDATE conversations SET last_sequence = last_sequence + 1, updated_at = clock_timestamp() WHERE id = $1
           RETURNING id, project_id, last_sequence
         ), m AS (
           INSERT INTO messages (id, conversation_id, project_id, sequence, created_at, role, content, turn_id, client_msg_id,
                                 client_msg_key, payload_hash, user_id, user_name)
           SELECT $7, c.id, c.project_id, c.last_sequence, clock_timestamp(), 'user', $2,
                  (SELECT id FROM turns t WHERE t.conversation_id = c.id AND t.state = 'dispatched'),
                  $3, $4, $5, $6, $6
             FROM c
           RETURNING *
         )
         SELECT row_to_json(message)::text AS json FROM (SELECT ${MESSAGE} FROM m) message`,
        [conversation, content, client_msg_id, key, hash(content), USER, new_message_id],
      ),
      ask(
        `WITH head AS (UPDATE event_heads SET last_id = last_id + 2 WHERE stream_id = $1 RETURNING last_id)
         INSERT INTO events (stream_id, id, actor_kind, actor_id, at, type, data)
         VALUES ($1, (SELECT last_id FROM head) - 1, 'user', $2, clock_timestamp(), 'message.created', $3),
                ($1, (SELECT last_id FROM head), 'user', $2, clock_timestamp(), 'turn.dispatched', $4)`,
        [id, USER, JSON.stringify(message_created), JSON.stringify(turn_dispatched)],
      ),
    ]);
    return `{"message":${json},"canvas_snapshot":${JSON.stringify(cards)}}`;
  });
}

const hash = (text) => createHash('sha256').update(text).digest();
