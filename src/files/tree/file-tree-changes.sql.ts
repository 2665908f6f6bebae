import { setNextNode, TAKE_IDS_FOR_COPY } from './containers.sql.js';
import { FILE_COLUMNS, nodeOf } from './file-tree.sql.js';

/**
 * Statements that change trees of nodes. The container must be locked. `$1` is always the container, or the source if there are
 * two. As in `file-tree.sql.ts`, every step is an index lookup.
 */

/** Returns SQL for the parent directory of the node in row `of`. */
const parentOf = (of: string): string =>
  `LATERAL (SELECT * FROM nodes c WHERE c.container_id = $1 AND c.node_id = ${of}.parent_id OFFSET 0)`;

/**
 * Returns SQL for the physical location of a node's row. With a long list of ids, PostgreSQL would compare every row with each
 * id. It would also do this with locations if another condition seemed selective.
 */
const rowOf = (of: string): string =>
  `LATERAL (SELECT c.ctid FROM nodes c WHERE c.container_id = $1 AND c.node_id = ${of}.node_id OFFSET 0)`;

/** Inserts the root of a new container, which is the only row of `container`. */
export const INSERT_ROOT = `INSERT INTO nodes (container_id, node_id, name, kind) SELECT id, 0, '', 'directory' FROM container`;

/**
 * Inserts nodes from directory `$2` downwards, with the names in array `$3`. They are directories, `implied` according to `$4`.
 * The last node is a file if its blob `$5` is not null. Returns the last node.
 */
export const INSERT_CHAIN = `
  WITH ids AS (
    ${setNextNode('next_node + cardinality($3::text[])')}
    RETURNING next_node - cardinality($3::text[]) AS first, next_node - 1 AS last
  ),
  chain AS (
    SELECT first + ord - 1 AS node_id, CASE ord WHEN 1 THEN $2::bigint ELSE first + ord - 2 END AS parent_id, name,
           $5::uuid IS NOT NULL AND ord = cardinality($3::text[]) AS is_file
      FROM ids, unnest($3::text[]) WITH ORDINALITY AS c (name, ord)
  ),
  n AS (
    INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied, entries, blob_id, size, file_id, content_type, source)
    SELECT $1, node_id, parent_id, name, CASE WHEN is_file THEN 'file' ELSE 'directory' END, $4 AND NOT is_file,
           CASE WHEN node_id < last THEN 1 ELSE 0 END,
           CASE WHEN is_file THEN $5::uuid END, CASE WHEN is_file THEN $6::bigint END,
           CASE WHEN is_file AND $9 THEN uuidv7() END, CASE WHEN is_file THEN $7 END, CASE WHEN is_file THEN $8 END
      FROM chain, ids
    RETURNING *
  )
  SELECT n.node_id, ${FILE_COLUMNS} FROM n, ids WHERE n.node_id = ids.last`;

/** Makes directory `$2` explicit. */
export const MAKE_EXPLICIT = 'UPDATE nodes SET implied = false WHERE container_id = $1 AND node_id = $2';

/** Replaces the content of file `$2`, which keeps its identity. */
export const REPLACE_FILE = `
  WITH n AS (
    UPDATE nodes SET blob_id = $3, size = $4, content_type = $5, source = $6, modified = now()
     WHERE container_id = $1 AND node_id = $2
    RETURNING *
  )
  SELECT ${FILE_COLUMNS} FROM n`;

/**
 * Deletes nodes `$2` with everything below them, and counts files and explicit directories. Rows are found by physical location.
 * This is safe because other writers wait, and avoids comparing long lists of ids one by one.
 */
export const DELETE_SUBTREES = `
  WITH RECURSIVE doomed AS (
    SELECT n.at, n.node_id
      FROM unnest($2::bigint[]) AS i (node_id)
      CROSS JOIN LATERAL (SELECT c.ctid AS at, c.node_id FROM nodes c WHERE c.container_id = $1 AND c.node_id = i.node_id OFFSET 0) n
    UNION
    SELECT n.at, n.node_id
      FROM doomed d
      CROSS JOIN LATERAL (SELECT c.ctid AS at, c.node_id FROM nodes c WHERE c.container_id = $1 AND c.parent_id = d.node_id OFFSET 0) n
  ),
  gone AS (
    DELETE FROM nodes n WHERE n.ctid = ANY (ARRAY (SELECT at FROM doomed))
    RETURNING n.implied
  )
  SELECT count(*) FILTER (WHERE NOT implied) AS deleted FROM gone`;

/**
 * Deletes the implied empty directories among `$2`, and then their parents recursively. Candidates are all implied directories
 * above them. A candidate stays if it contains a node that is not a candidate, and so do all directories above it.
 */
export const DELETE_EMPTIED = `
  WITH RECURSIVE up AS (
    SELECT n.node_id, n.parent_id, n.entries
      FROM unnest($2::bigint[]) AS i (node_id) CROSS JOIN ${nodeOf('i')} n
     WHERE n.implied
    UNION
    SELECT n.node_id, n.parent_id, n.entries FROM up u CROSS JOIN ${parentOf('u')} n WHERE n.implied
  ),
  kept AS (
    SELECT u.node_id, u.parent_id
      FROM up u LEFT JOIN (SELECT parent_id, count(*) AS entries FROM up GROUP BY parent_id) c ON c.parent_id = u.node_id
     WHERE u.entries > coalesce(c.entries, 0)
    UNION
    SELECT n.node_id, n.parent_id FROM kept k CROSS JOIN ${parentOf('k')} n WHERE n.implied
  )
  DELETE FROM nodes n
   WHERE n.ctid = ANY (ARRAY (
     SELECT n.ctid FROM (SELECT node_id FROM up EXCEPT SELECT node_id FROM kept) e CROSS JOIN ${rowOf('e')} n))`;

/** Deletes the empty directories `$2`. */
export const DELETE_NODES = `
  DELETE FROM nodes n
   WHERE n.ctid = ANY (ARRAY (
     SELECT n.ctid FROM unnest($2::bigint[]) AS i (node_id) CROSS JOIN ${rowOf('i')} n))`;

/** Gives the nodes `$2` temporary names that paths cannot contain. */
export const PARK_NODES = `
  UPDATE nodes n SET name = E'\\x01' || n.node_id
   WHERE n.ctid = ANY (ARRAY (
     SELECT n.ctid FROM unnest($2::bigint[]) AS i (node_id) CROSS JOIN ${rowOf('i')} n))`;

/** Moves the nodes `$2` into the directories `$3` under the names `$4`. */
export const MOVE_NODES = `
  UPDATE nodes n SET parent_id = m.parent_id, name = m.name
    FROM (SELECT i.parent_id, i.name, n.ctid AS at
            FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS i (node_id, parent_id, name) CROSS JOIN ${rowOf('i')} n) m
   WHERE n.ctid = m.at`;

/**
 * Inserts implied directories with ids `$2` into the directories `$3` under the names `$4`. The initial number of directories in
 * each is `$5`. The next free node id afterwards is `$6`.
 */
export const INSERT_DIRECTORIES = `
  WITH ids AS (${setNextNode('$6')})
  INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied, entries)
  SELECT $1, i.node_id, i.parent_id, i.name, 'directory', true, i.entries
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) AS i (node_id, parent_id, name, entries)`;

/**
 * Inserts the `$4` nodes of the JSON array `$3` below directory `$2`: files, and their implied directories. `id` and `parent`
 * are zero-based numbers. A node without `parent` is directly in `$2`.
 */
export const INSERT_NODES = `
  WITH ids AS (${setNextNode('next_node + $4')} RETURNING next_node - $4 AS first),
  given AS (
    SELECT * FROM jsonb_to_recordset($3::jsonb) AS g
      (id bigint, parent bigint, name text, blob_id uuid, size bigint, content_type text, source text, with_id boolean)
  )
  INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied, blob_id, size, file_id, content_type, source)
  SELECT $1, first + id, coalesce(first + parent, $2), name, CASE WHEN blob_id IS NULL THEN 'directory' ELSE 'file' END,
         blob_id IS NULL, blob_id, size, CASE WHEN with_id THEN uuidv7() END, content_type, source
    FROM ids, given`;

const copy = (source: string): string => `
  WITH RECURSIVE source AS (${source}),
  ids AS (
    ${TAKE_IDS_FOR_COPY}
  ),
  copied AS (
    INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied, entries, blob_id, size, file_id, content_type, source, modified)
    SELECT $2, first + (c.node).node_id, coalesce(c.into_id, first + (c.node).parent_id), (c.node).name, (c.node).kind, (c.node).implied,
           (c.node).entries, (c.node).blob_id, (c.node).size,
           CASE WHEN (c.node).kind = 'file' THEN CASE $3 WHEN 'workspace' THEN uuidv7() WHEN 'snapshot' THEN (c.node).file_id END END,
           (c.node).content_type,
           CASE WHEN (c.node).kind = 'file' THEN CASE $3 WHEN 'workspace' THEN 'deployment' WHEN 'snapshot' THEN (c.node).source END END,
           CASE $3 WHEN 'snapshot' THEN (c.node).modified ELSE now() END
      FROM ids, source c
     WHERE c.counterpart IS NULL
    RETURNING kind
  )
  SELECT count(*) FILTER (WHERE kind = 'file') AS files FROM copied`;

/** Copies all of container `$1` into the empty container `$2` of kind `$3`. */
export const COPY_WHOLE = copy(`
    SELECT n AS node, NULL::bigint AS counterpart, CASE n.parent_id WHEN 0 THEN 0::bigint END AS into_id
      FROM nodes n WHERE n.container_id = $1 AND n.node_id > 0`);

/**
 * Copies the top-level names `$4` of container `$1` into container `$2`, or all other names if `$5` is false. Existing
 * directories are filled, and existing files are kept.
 */
export const COPY_SELECTED = copy(`
    SELECT n AS node, 0::bigint AS counterpart, NULL::bigint AS into_id FROM nodes n WHERE n.container_id = $1 AND n.node_id = 0
    UNION ALL
    SELECT n.node, t.node_id, s.counterpart
      FROM source s
      CROSS JOIN LATERAL (SELECT c AS node FROM nodes c WHERE c.container_id = $1 AND c.parent_id = (s.node).node_id OFFSET 0) n
      LEFT JOIN LATERAL (
        SELECT * FROM nodes c WHERE c.container_id = $2 AND c.parent_id = s.counterpart AND c.name = (n.node).name OFFSET 0) t ON true
     WHERE ((s.node).node_id > 0 OR ((n.node).name = ANY ($4::text[])) = $5)
       AND (t.node_id IS NULL OR (t.kind = 'directory' AND (n.node).kind = 'directory'))`);

/**
 * Deletes `$2` leaf nodes of container `$1`. If there are fewer, it also deletes directories that contain only deleted nodes,
 * up to the root. A deep tree therefore takes a few statements instead of one per level.
 */
export const DELETE_LEAVES = `
  WITH RECURSIVE doomed AS (
    (SELECT l.ctid AS at, l.parent_id FROM nodes l
      WHERE l.container_id = $1 AND l.entries = 0
      ORDER BY l.node_id DESC LIMIT $2)
    UNION ALL
    SELECT n.at, n.parent_id
      FROM doomed d
      CROSS JOIN LATERAL (
        SELECT p.ctid AS at, p.parent_id FROM nodes p
         WHERE p.container_id = $1 AND p.node_id = d.parent_id AND p.entries = 1 OFFSET 0) n
  ),
  gone AS (
    DELETE FROM nodes n WHERE n.ctid = ANY (ARRAY (SELECT at FROM doomed LIMIT $2))
    RETURNING n.node_id
  )
  SELECT count(*) AS deleted FROM gone`;
