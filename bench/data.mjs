import pg from 'pg';

/** Company that owns the data on which operations are measured. */
export const COMPANY = 'bench';
/** Separate company whose projects receive the posted messages. */
export const POSTS_COMPANY = 'bench-posts';
export const USER = 'ada';

/** Amounts of data: `quick` for a short check, `full` for reliable measurements. */
export const SIZES = {
  quick: {
    messages: [1_000, 10_000, 100_000],
    projects: [1, 100, 10_000],
    entries: [100, 1_000, 100_000],
    ledger: [1_000, 100_000],
    posts: 8_000,
  },
  full: {
    messages: [1_000, 100_000, 1_000_000],
    projects: [1, 1_000, 100_000],
    entries: [100, 10_000, 1_000_000],
    ledger: [1_000, 5_000_000],
    posts: 60_000,
  },
};

/** Tables that receive many rows. Their indexes are created after all rows have been inserted. */
const BULK = ['projects', 'containers', 'nodes', 'conversations', 'turns', 'messages', 'usage_ledger'];

/**
 * Fills a migrated database in bulk with the rows that the service would have written.
 *
 * Returns the ids that requests need: `projects` by name, and for each size a company (`projects`, `ledger`) or a project
 * (`messages`, `entries`).
 */
export async function makeData(url, sizes) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = async (text, values) => (await client.query(text, values)).rows;
  try {
    // Skips foreign keys and triggers for each row.
    await sql('SET session_replication_role = replica');
    const restore = await dropIndexes(sql);
    const data = await fill(sql, sizes);
    await restore();
    await sql('VACUUM ANALYZE');
    await sql('CHECKPOINT');
    return data;
  } finally {
    await client.end();
  }
}

async function dropIndexes(sql) {
  const indexes = await sql(
    `SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
      WHERE i.schemaname = 'public' AND i.tablename = ANY ($1)
        AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('%I', i.indexname)::regclass)`,
    [BULK],
  );
  for (const { name } of indexes) await sql(`DROP INDEX ${pg.escapeIdentifier(name)}`);
  return async () => {
    for (const { definition } of indexes) await sql(definition);
  };
}

async function fill(sql, sizes) {
  const middle = sizes.projects[1];
  await makeCompany(sql, COMPANY);
  const [[operations], messages, entries, posts] = [
    await makeProjects(sql, COMPANY, middle, 'Plan'),
    await makeProjects(sql, COMPANY, sizes.messages.length, 'Conversation'),
    await makeProjects(sql, COMPANY, sizes.entries.length, 'Tree'),
    await makeProjects(sql, POSTS_COMPANY, sizes.posts, 'Post'),
  ];
  await makeCompany(sql, POSTS_COMPANY);
  for (const [index, count] of sizes.messages.entries()) await makeMessages(sql, messages[index], count);
  for (const [index, count] of sizes.entries.entries()) await makeTree(sql, entries[index], count);
  await makeDetails(sql, operations);
  await makeMessages(sql, operations, 1_000);
  await makeTree(sql, operations, 10_000);
  const bySize = async (kind, make) => {
    const companies = sizes[kind].map((count) => `${COMPANY}-${kind}-${count}`);
    for (const [index, company] of companies.entries()) {
      await makeCompany(sql, company);
      await make(company, sizes[kind][index]);
    }
    return companies;
  };
  return {
    operations,
    posts,
    messages,
    entries,
    projects: await bySize('projects', async (company, count) => await makeProjects(sql, company, count, 'Plan')),
    ledger: await bySize('ledger', async (company, count) => await makeLedger(sql, company, count)),
  };
}

async function makeCompany(sql, company) {
  await sql('INSERT INTO companies (id) VALUES ($1)', [company]);
  // These names and addresses match the tokens of these users.
  await sql(
    `INSERT INTO users (company_id, id, display_name, email) SELECT $1, name, name, name || '@example.com'
       FROM (SELECT $2 AS name UNION ALL SELECT 'user-' || i FROM generate_series(1, 99) i) names`,
    [company, USER],
  );
}

/** Creates projects with their containers and default conversations. Returns all ids. */
async function makeProjects(sql, company, count, name) {
  const made = await sql(
    `WITH made AS MATERIALIZED (
       SELECT i, uuidv7() AS id, uuidv7() AS workspace, uuidv7() AS config, uuidv7() AS skills FROM generate_series(1, $2::integer) i
     ), container AS (
       INSERT INTO containers (id, company_id, kind)
       SELECT c.id, $1, c.kind FROM made,
              LATERAL (VALUES (workspace, 'workspace'), (config, 'agent_config'), (skills, 'project_skills')) c (id, kind)
       RETURNING id
     ), root AS (
       INSERT INTO nodes (container_id, node_id, name, kind) SELECT id, 0, '', 'directory' FROM container
     ), conversation AS (
       INSERT INTO conversations (project_id, is_default) SELECT id, true FROM made
     ), head AS (
       INSERT INTO event_heads (stream_id, company_id) SELECT id, $1 FROM made
     )
     INSERT INTO projects (id, company_id, name, workspace_id, agent_config_id, project_skills_id, created_by, updated_at)
     SELECT id, $1, $3 || ' ' || i, workspace, config, skills, $4, now() - (i || ' s')::interval FROM made ORDER BY i
     RETURNING id`,
    [company, count, name, USER],
  );
  return made.map(({ id }) => id);
}

/** Creates questions and answers in the default conversation of a project. */
async function makeMessages(sql, project, count) {
  const question = 'Can we bottle the night shift’s orders on line two without a change of the recipe?';
  const answer = 'Line two has 380 free minutes on Tuesday, and the recipe of order 17 is mounted already. '.repeat(3);
  await sql(
    `WITH conversation AS (
       UPDATE conversations SET last_sequence = $2 WHERE project_id = $1 AND is_default RETURNING id
     ), turn AS MATERIALIZED (
       SELECT i, uuidv7() AS id, uuidv7() AS message FROM generate_series(1, $2::integer / 2) i
     ), stored AS (
       INSERT INTO turns (id, project_id, conversation_id, company_id, user_id, state, outcome, due_at, message_id, next_seq,
                          ended_at, keeps_events)
       SELECT t.id, $1, c.id, $3, $4, 'ended', 'completed', NULL, t.message, 3, now(), false FROM turn t, conversation c
     )
     INSERT INTO messages (id, project_id, conversation_id, sequence, role, content, turn_id, content_segments, tool_calls,
                           file_ids, client_msg_id, client_msg_key, payload_hash, user_id, user_name)
     SELECT CASE side WHEN 0 THEN t.message ELSE uuidv7() END, $1, c.id, 2 * t.i - side,
            CASE side WHEN 0 THEN 'assistant' ELSE 'user' END, CASE side WHEN 0 THEN $6 ELSE $5 END, t.id,
            CASE side WHEN 0 THEN json_build_array(json_build_object('type', 'text', 'content', $6::text)) END,
            CASE side WHEN 0 THEN '[]'::json END, CASE side WHEN 1 THEN ARRAY['orders.csv'] END,
            CASE side WHEN 1 THEN 'message-' || t.i END, CASE side WHEN 1 THEN sha256(t.i::text::bytea) END,
            CASE side WHEN 1 THEN sha256(t.i::text::bytea) END, CASE side WHEN 1 THEN $4 END, CASE side WHEN 1 THEN $4 END
       FROM turn t, conversation c, generate_series(0, 1) side`,
    [project, count, COMPANY, USER, question, answer],
  );
}

/**
 * Creates a workspace with about `count` entries. Half of them are in directories `d<i>`, with as many directories as files in
 * each directory. The other half are files in a single directory, `flat`. The directories `to` and `from` are used for moves,
 * and `from` contains 1,000 files.
 */
async function makeTree(sql, project, count) {
  const side = Math.floor(Math.sqrt(count / 2));
  const flat = 2;
  const [{ container, blob }] = await sql(
    `WITH blob AS (INSERT INTO blobs (company_id, state, size) VALUES ($2, 'stored', 1) RETURNING id),
          container AS (UPDATE containers k SET next_node = 10000000 FROM projects p
                         WHERE p.id = $1 AND k.id = p.workspace_id RETURNING k.id)
     SELECT blob.id AS blob, container.id AS container FROM blob, container`,
    [project, COMPANY],
  );
  await sql(
    `INSERT INTO nodes (container_id, node_id, parent_id, name, kind)
     SELECT $1::uuid, id, 0, name, 'directory' FROM (VALUES (1, 'from'), (2, 'flat'), (3, 'to')) v (id, name)
     UNION ALL SELECT $1, 100 + i, 0, 'd' || i, 'directory' FROM generate_series(1, $2) i`,
    [container, side],
  );
  await sql(
    `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, blob_id, size, file_id, source)
     SELECT $1, $6::integer + id, parent, 'file ' || id, 'file', $2, 1, uuidv7(), 'upload'
       FROM (SELECT i AS id, 1 AS parent FROM generate_series(1, 1000) i
             UNION ALL SELECT 1000 + i, $5::integer FROM generate_series(1, $3::integer / 2) i
             UNION ALL SELECT 1000000 + i, 101 + i % $4::integer FROM generate_series(0, $4::integer * $4::integer - 1) i) files`,
    [container, blob, count, side, flat, 1_000_000],
  );
  // Sets the counts that the skipped triggers would have maintained.
  await sql(
    `UPDATE nodes d SET entries = c.entries
       FROM (SELECT parent_id, count(*) AS entries FROM nodes WHERE container_id = $1 GROUP BY parent_id) c
      WHERE d.container_id = $1 AND d.node_id = c.parent_id`,
    [container],
  );
}

/** Creates enough cards, executions, conversations and deployments to fill a page of each. */
async function makeDetails(sql, project) {
  await sql(
    `INSERT INTO cards (project_id, card_type, label, status, data)
     SELECT $1, 'variable', 'Bottles of product ' || i, 'complete',
            jsonb_build_object('name', 'x' || i, 'domain', 'integer', 'lower', 0, 'upper', 1000, 'unit', 'pallet')
       FROM generate_series(1, 20) i`,
    [project],
  );
  await sql('UPDATE projects SET card_count = 20 WHERE id = $1', [project]);
  await sql(
    `INSERT INTO executions (project_id, company_id, user_id, triggered_by, status, created_at, due_at, ended_at, result)
     SELECT $1, $3, $2, 'user:' || $2, 'succeeded', now() - (i || ' min')::interval, NULL, now(), '{}'
       FROM generate_series(1, 200) i`,
    [project, USER, COMPANY],
  );
  await sql(
    `INSERT INTO conversations (project_id, title, updated_at)
     SELECT $1, 'Night shift ' || i, now() - (i || ' min')::interval FROM generate_series(1, 60) i`,
    [project],
  );
  await sql(
    `WITH made AS MATERIALIZED (SELECT i, uuidv7() AS container FROM generate_series(1, 60) i),
          tree AS (INSERT INTO containers (id, company_id, kind) SELECT container, $1, 'deployment' FROM made)
     INSERT INTO deployments (company_id, name, handle, container_id, created_at)
     SELECT $1, 'Template ' || i, 'template-' || i, container, now() - (i || ' min')::interval FROM made`,
    [COMPANY],
  );
}

async function makeLedger(sql, company, count) {
  await sql(
    `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits, created_at)
     SELECT $1, '00000000-0000-7000-8000-000000000000', 'user-' || 1 + i % 99, 'turn', gen_random_uuid(), 0.01,
            now() - (i * (interval '90 d' / $2::integer)) FROM generate_series(1, $2::integer) i`,
    [company, count],
  );
}
