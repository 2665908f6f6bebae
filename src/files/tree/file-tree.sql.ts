import { MAX_NAME_BYTES, MAX_PATH_BYTES } from '../../../packages/paths/index.js';

/**
 * Statements on trees of nodes. `$1` is always the container. Every step from a directory to its entries is a lookup in
 * `nodes_name_key` or `nodes_directories_idx`.
 *
 * Statements that start from paths take the company as `$2` and find nothing in another company's container.
 */

/**
 * Returns SQL for the nodes in the directory of the row `of`, or for the node with a name. `OFFSET 0` forces an index lookup per
 * directory. Otherwise the planner would read the whole table if a container is a large part of it.
 */
export const childrenOf = (of: string, name?: string, container = '$1'): string => `LATERAL (
        SELECT * FROM nodes c
         WHERE c.container_id = ${container} AND c.parent_id = ${of}.node_id ${name === undefined ? '' : `AND c.name = ${name}`} OFFSET 0)`;

/** Returns SQL that looks up the node of the row `of` in the same way. */
export const nodeOf = (of: string, container = '$1'): string =>
  `LATERAL (SELECT * FROM nodes c WHERE c.container_id = ${container} AND c.node_id = ${of}.node_id OFFSET 0)`;

/** Columns of a {@link TreeFile} for a node `n`. */
export const FILE_COLUMNS = 'n.blob_id, n.size, n.file_id, n.content_type, n.source, n.modified';

/**
 * CTE `walk` with the existing nodes on each path of the text array `$3`, by ordinal, from the root (depth 0) downwards. CTE
 * `sought` with the nodes at the ends of complete paths. Both require `WITH RECURSIVE`.
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

/**
 * Maximum path length of a skill's file in its tree. The path limit applies to the path inside the skill's folder. The folder's
 * own path is short.
 */
const MAX_STORED_BYTES = MAX_PATH_BYTES + 128;

/**
 * Condition that extends a path by a name only within the path limit. Trees that were created before this limit applied to
 * moves may be deeper. Nodes beyond the limit are not read, because their paths would take more space than all other data.
 */
const withinPath = (path: string, name: string, { above = '0', max = MAX_PATH_BYTES } = {}): string =>
  `octet_length(${path}) + octet_length(${name}) + ${above} < ${max}`;

/**
 * CTE `below`: all descendants of the directory in `sought`, with paths relative to it. `of` is an SQL expression for the
 * directory's path.
 */
export const belowIn = (container: string, of: string, max = MAX_PATH_BYTES): string => `
  below AS (
    SELECT n.node_id, n.kind, n.name::text AS path
      FROM sought s CROSS JOIN ${childrenOf('s', undefined, container)} n
    UNION ALL
    SELECT n.node_id, n.kind, b.path || '/' || n.name
      FROM below b CROSS JOIN ${childrenOf('b', undefined, container)} n
     WHERE b.kind = 'directory' AND ${withinPath('b.path', 'n.name', { above: `(SELECT coalesce(octet_length(nullif(${of}, '') || '/'), 0))`, max })}
  )`;

/** Selects the nodes on a path. */
export const WALK_PATH = `WITH RECURSIVE ${WALK} SELECT node_id, parent_id, kind, implied, entries FROM walk ORDER BY depth`;

/** Selects the nodes at paths. */
export const FIND_NODES = `WITH RECURSIVE ${WALK} SELECT node_id, parent_id FROM sought`;

/** Selects the nodes on the paths `$3` from the directories `$2`, by ordinal and depth. */
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
 * Selects the number of directories at and below directory `$2`, and the maximum length of the paths below it in bytes. The
 * length is an upper bound if it is within the bytes `$3`, otherwise exact. File names are read only if the upper bound is too
 * long.
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

/** Selects the files at paths, by ordinal of the path. */
export const FIND_FILES = `
  WITH RECURSIVE ${WALK}
  SELECT s.ord, ${FILE_COLUMNS}
    FROM sought s CROSS JOIN ${nodeOf('s')} n
   WHERE s.kind = 'file'`;

/** Selects the files with the ids `$3`, with their paths. */
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

/** Selects all files below a directory, ordered by path. No rows if the directory does not exist. */
export const FILES_BELOW = `
  WITH RECURSIVE ${WALK}, ${belowIn('$1', '($3::text[])[1]', MAX_STORED_BYTES)}
  SELECT b.path, ${FILE_COLUMNS}
    FROM below b CROSS JOIN ${nodeOf('b')} n
   WHERE b.kind = 'file'
   ORDER BY b.path COLLATE "C"`;

/**
 * Selects all files at and below paths of several containers, ordered by ordinal of the container and by path. The containers
 * are `$1`. Their paths are `$3`, without the root.
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

/** Selects a single hash of all paths and contents at and below the paths. */
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

/** Selects the files of the blobs `$1` of all companies, with their containers and paths. */
export const FILES_OF_BLOBS = `
  WITH RECURSIVE up AS (
    SELECT n.container_id, n.blob_id, n.parent_id, n.name::text AS path FROM nodes n WHERE n.blob_id = ANY ($1::uuid[])
    UNION ALL
    SELECT u.container_id, u.blob_id, p.parent_id, p.name || '/' || u.path
      FROM up u JOIN nodes p ON p.container_id = u.container_id AND p.node_id = u.parent_id AND p.node_id > 0
  )
  SELECT container_id, path, blob_id FROM up WHERE parent_id = 0 ORDER BY container_id, path`;
