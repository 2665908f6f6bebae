import { setNextNode, TAKE_IDS_FOR_COPY } from './containers.sql.js';
import { MAX_NAME_BYTES, MAX_PATH_BYTES } from './paths.js';

/**
 * Statements over trees of nodes. `$1` is always the container; every step from a directory to what is in it is a look-up
 * in `nodes_name_key` or `nodes_directories_idx`.
 *
 * Statements that start from paths take the company as `$2` and find nothing in a container of another one.
 */

/**
 * The nodes in a directory of the row `of`, or the one of a name. The `OFFSET 0` makes it a look-up per directory whatever
 * the planner expects: where one container is a large part of the table it would rather read all of the table once.
 */
export const childrenOf = (of: string, name?: string, container = '$1'): string => `LATERAL (
        SELECT * FROM nodes c
         WHERE c.container_id = ${container} AND c.parent_id = ${of}.node_id ${name === undefined ? '' : `AND c.name = ${name}`} OFFSET 0)`;

/** The node of the row `of`, looked up in the same way. */
export const nodeOf = (of: string, container = '$1'): string =>
  `LATERAL (SELECT * FROM nodes c WHERE c.container_id = ${container} AND c.node_id = ${of}.node_id OFFSET 0)`;

/** The directory that the node of the row `of` is in. */
const parentOf = (of: string): string =>
  `LATERAL (SELECT * FROM nodes c WHERE c.container_id = $1 AND c.node_id = ${of}.parent_id OFFSET 0)`;

/**
 * Where the row of a node is. A long list of ids would be compared one by one, and so would a list of places be where there is
 * another condition beside it that seems to leave few rows.
 */
const rowOf = (of: string): string =>
  `LATERAL (SELECT c.ctid FROM nodes c WHERE c.container_id = $1 AND c.node_id = ${of}.node_id OFFSET 0)`;

/** Columns of a file for {@link TreeFile}, of a node `n`. */
export const FILE_COLUMNS = 'n.blob_id, n.size, n.file_id, n.content_type, n.source, n.modified';

/**
 * `walk`: for each path of the text array `$3`, by its ordinal, the nodes from the root (depth 0) down as far as they
 * exist; `sought`: those of them that the whole path leads to. Needs `WITH RECURSIVE`.
 */
const WALK = `
  walk AS (
    SELECT w.ord, string_to_array(nullif(w.path, ''), '/') AS names, 0 AS depth, r.node_id, r.parent_id, r.kind, r.implied, r.entries
      FROM containers k
      JOIN nodes r ON r.container_id = k.id AND r.node_id = 0
      CROSS JOIN unnest($3::text[]) WITH ORDINALITY AS w (path, ord)
     WHERE k.id = $1 AND k.company_id = $2 AND k.deleted_at IS NULL
    UNION ALL
    SELECT w.ord, w.names, w.depth + 1, n.node_id, n.parent_id, n.kind, n.implied, n.entries
      FROM walk w CROSS JOIN ${childrenOf('w', 'w.names[w.depth + 1]')} n
  ),
  sought AS (SELECT * FROM walk WHERE depth = coalesce(cardinality(names), 0))`;

/** Longest path of a skill's file in its tree: it counts from the skill's folder, whose own path is short. */
const MAX_STORED_BYTES = MAX_PATH_BYTES + 128;

/**
 * Goes on from a path to a name in it only as far as paths may be. Trees from before moves looked at what they make longer
 * may be deeper: what no path leads to is not read, as the paths to it would be longer than all else together.
 */
const withinPath = (path: string, name: string, { above = '0', max = MAX_PATH_BYTES } = {}): string =>
  `octet_length(${path}) + octet_length(${name}) + ${above} < ${max}`;

/** `below`: everything under the one sought directory, whose path is the text `of`, with paths relative to it. */
export const belowIn = (container: string, of: string, max = MAX_PATH_BYTES): string => `
  below AS (
    SELECT n.node_id, n.kind, n.name::text AS path
      FROM sought s CROSS JOIN ${childrenOf('s', undefined, container)} n
    UNION ALL
    SELECT n.node_id, n.kind, b.path || '/' || n.name
      FROM below b CROSS JOIN ${childrenOf('b', undefined, container)} n
     WHERE b.kind = 'directory' AND ${withinPath('b.path', 'n.name', { above: `(SELECT coalesce(octet_length(nullif(${of}, '') || '/'), 0))`, max })}
  )`;

/** The nodes that a path leads over. */
export const WALK_PATH = `WITH RECURSIVE ${WALK} SELECT node_id, parent_id, kind, implied, entries FROM walk ORDER BY depth`;

/** The nodes that paths lead to. */
export const FIND_NODES = `WITH RECURSIVE ${WALK} SELECT node_id, parent_id FROM sought`;

/** The nodes that the paths `$3` lead over from the directories `$2`, by ordinal and depth. */
export const WALK_FROM = `
  WITH RECURSIVE walk AS (
    SELECT w.ord, string_to_array(w.path, '/') AS names, 0 AS depth, w.node_id,
           'directory' AS kind, false AS implied, 0::bigint AS entries
      FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS w (node_id, path, ord)
    UNION ALL
    SELECT w.ord, w.names, w.depth + 1, n.node_id, n.kind, n.implied, n.entries
      FROM walk w CROSS JOIN ${childrenOf('w', 'w.names[w.depth + 1]')} n
  )
  SELECT ord, node_id, kind, implied, entries FROM walk WHERE depth > 0 ORDER BY ord, depth`;

/**
 * How many directories are below directory `$2`, itself included, and how many bytes paths have below it: at most so many
 * where that is within the bytes `$3`, else exactly so many. Names of files are read only where the longest would be too long.
 */
export const MEASURE_DIRECTORY = `
  WITH RECURSIVE below AS (
    SELECT $2::bigint AS node_id, 0 AS bytes
    UNION ALL
    SELECT n.node_id, b.bytes + 1 + octet_length(n.name)
      FROM below b
      CROSS JOIN LATERAL (
        SELECT c.node_id, c.name FROM nodes c
         WHERE c.container_id = $1 AND c.parent_id = b.node_id AND c.kind = 'directory' OFFSET 0) n
  )
  SELECT count(*) AS directories,
         max(b.bytes + CASE WHEN b.bytes + ${1 + MAX_NAME_BYTES} <= $3 THEN ${1 + MAX_NAME_BYTES} ELSE (
           SELECT coalesce(1 + max(octet_length(n.name)), 0) FROM ${childrenOf('b')} n) END) AS height
    FROM below b`;

/** The files that paths lead to, by ordinal of the path. */
export const FIND_FILES = `
  WITH RECURSIVE ${WALK}
  SELECT s.ord, ${FILE_COLUMNS}
    FROM sought s CROSS JOIN ${nodeOf('s')} n
   WHERE s.kind = 'file'`;

/** The files of the ids `$3`, with their paths. */
export const FIND_FILES_BY_ID = `
  WITH RECURSIVE up AS (
    SELECT n.node_id, n.parent_id, n.name::text AS path
      FROM nodes n WHERE n.container_id = $1 AND n.file_id = ANY ($3::uuid[])
    UNION ALL
    SELECT u.node_id, p.parent_id, CASE p.node_id WHEN 0 THEN u.path ELSE p.name || '/' || u.path END
      FROM up u CROSS JOIN LATERAL (SELECT * FROM nodes c WHERE c.container_id = $1 AND c.node_id = u.parent_id OFFSET 0) p
     WHERE ${withinPath('u.path', 'p.name')}
  )
  SELECT u.path, ${FILE_COLUMNS}
    FROM up u
    CROSS JOIN ${nodeOf('u')} n
    JOIN containers k ON k.id = $1 AND k.company_id = $2 AND k.deleted_at IS NULL
   WHERE u.parent_id IS NULL`;

/** All files below a directory, by path; none when there is no such directory. */
export const FILES_BELOW = `
  WITH RECURSIVE ${WALK}, ${belowIn('$1', '($3::text[])[1]', MAX_STORED_BYTES)}
  SELECT b.path, ${FILE_COLUMNS}
    FROM below b CROSS JOIN ${nodeOf('b')} n
   WHERE b.kind = 'file'
   ORDER BY b.path COLLATE "C"`;

/**
 * All files at and below paths of several containers, by ordinal of the place and path: `$1` the containers, `$3` the paths
 * in them, none of which is the root.
 */
export const FILES_OF = `
  WITH RECURSIVE walk AS (
    SELECT p.ord, string_to_array(p.path, '/') AS names, 0 AS depth, k.id AS container_id, 0::bigint AS node_id,
           'directory' AS kind
      FROM unnest($1::uuid[], $3::text[]) WITH ORDINALITY AS p (container_id, path, ord)
      JOIN containers k ON k.id = p.container_id AND k.company_id = $2 AND k.deleted_at IS NULL
    UNION ALL
    SELECT w.ord, w.names, w.depth + 1, w.container_id, n.node_id, n.kind
      FROM walk w CROSS JOIN ${childrenOf('w', 'w.names[w.depth + 1]', 'w.container_id')} n
  ),
  inside AS (
    SELECT w.ord, w.container_id, w.node_id, w.kind, array_to_string(w.names, '/') AS path
      FROM walk w WHERE w.depth = cardinality(w.names)
    UNION ALL
    SELECT i.ord, i.container_id, n.node_id, n.kind, i.path || '/' || n.name::text COLLATE "default"
      FROM inside i CROSS JOIN ${childrenOf('i', undefined, 'i.container_id')} n
     WHERE i.kind = 'directory' AND ${withinPath('i.path', 'n.name', { max: MAX_STORED_BYTES })}
  )
  SELECT i.ord, i.path, ${FILE_COLUMNS}
    FROM inside i CROSS JOIN ${nodeOf('i', 'i.container_id')} n
   WHERE i.kind = 'file'
   ORDER BY i.ord, i.path COLLATE "C"`;

/** One hash of all paths and contents at and below the paths. */
export const DIGEST = `
  WITH RECURSIVE ${WALK},
  inside AS (
    SELECT s.node_id, s.kind, array_to_string(s.names, '/') AS path FROM sought s
    UNION ALL
    SELECT n.node_id, n.kind, i.path || '/' || n.name::text COLLATE "default"
      FROM inside i CROSS JOIN ${childrenOf('i')} n
     WHERE i.kind = 'directory' AND ${withinPath('i.path', 'n.name', { max: MAX_STORED_BYTES })}
  )
  SELECT encode(sha256(convert_to(coalesce(
           string_agg(i.path || E'\\n' || coalesce(encode(b.sha256, 'hex'), b.id::text), E'\\n' ORDER BY i.path COLLATE "C"), ''),
           'UTF8')), 'hex') AS digest
    FROM inside i
    CROSS JOIN ${nodeOf('i')} n
    CROSS JOIN LATERAL (SELECT * FROM blobs WHERE id = n.blob_id OFFSET 0) b`;

/** The root of a new container, the one row of `container`. */
export const INSERT_ROOT = `INSERT INTO nodes (container_id, node_id, name, kind) SELECT id, 0, '', 'directory' FROM container`;

/**
 * New nodes from directory `$2` down, named by the array `$3`: directories, `implied` as `$4` says, and at the end a
 * file where `$5`, its blob, is not null. Answers the last of them.
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

/** Another content for the file `$2`, which stays the same file. */
export const REPLACE_FILE = `
  WITH n AS (
    UPDATE nodes SET blob_id = $3, size = $4, content_type = $5, source = $6, modified = now()
     WHERE container_id = $1 AND node_id = $2
    RETURNING *
  )
  SELECT ${FILE_COLUMNS} FROM n`;

/**
 * Deletes nodes `$2` with everything below; counts files and directories that somebody made. Rows are found by where they
 * are: their writers wait, and a long list of ids would be compared one by one.
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
 * Deletes those of the directories `$2` that are implied and empty, and so on upwards. On the way up are all implied
 * directories above; those stay in which something is that is not on the way itself, with all above them.
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

/** Deletes the directories `$2`, in which nothing is. */
export const DELETE_NODES = `
  DELETE FROM nodes n
   WHERE n.ctid = ANY (ARRAY (
     SELECT n.ctid FROM unnest($2::bigint[]) AS i (node_id) CROSS JOIN ${rowOf('i')} n))`;

/** Gives the nodes `$2` names that no path can have, until they get their own. */
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
 * The implied directories `$2` in the directories `$3` under the names `$4`, with the number of them that are in each at first,
 * `$5`; `$6` is the next free node id then.
 */
export const INSERT_DIRECTORIES = `
  WITH ids AS (${setNextNode('$6')})
  INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied, entries)
  SELECT $1, i.node_id, i.parent_id, i.name, 'directory', true, i.entries
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) AS i (node_id, parent_id, name, entries)`;

/**
 * The `$4` nodes of the JSON array `$3` below directory `$2`: files, and the implied directories they are in. `id` and
 * `parent` count from 0; without `parent` a node is directly in `$2`.
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
 * Copies of container `$1` the names `$4` at its top (or all but these, where `$5` is false) into container `$2`.
 * Directories that are there already are filled, files that are there already stay as they are.
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
 * Deletes `$2` nodes of container `$1` that nothing is in, and as far as these are fewer, directories in which nothing else is;
 * the root is the last one. So a deep tree takes a few statements and not one for each level.
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

/** The files of the blobs `$1`, whatever their company, with their containers and paths. */
export const FILES_OF_BLOBS = `
  WITH RECURSIVE up AS (
    SELECT n.container_id, n.blob_id, n.parent_id, n.name::text AS path FROM nodes n WHERE n.blob_id = ANY ($1::uuid[])
    UNION ALL
    SELECT u.container_id, u.blob_id, p.parent_id, p.name || '/' || u.path
      FROM up u JOIN nodes p ON p.container_id = u.container_id AND p.node_id = u.parent_id AND p.node_id > 0
  )
  SELECT container_id, path, blob_id FROM up WHERE parent_id = 0 ORDER BY container_id, path`;
