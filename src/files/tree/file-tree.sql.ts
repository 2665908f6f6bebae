import { MAX_NAME_BYTES, MAX_PATH_BYTES } from '../../../packages/paths/index.js';

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

/** The files of the blobs `$1`, whatever their company, with their containers and paths. */
export const FILES_OF_BLOBS = `
  WITH RECURSIVE up AS (
    SELECT n.container_id, n.blob_id, n.parent_id, n.name::text AS path FROM nodes n WHERE n.blob_id = ANY ($1::uuid[])
    UNION ALL
    SELECT u.container_id, u.blob_id, p.parent_id, p.name || '/' || u.path
      FROM up u JOIN nodes p ON p.container_id = u.container_id AND p.node_id = u.parent_id AND p.node_id > 0
  )
  SELECT container_id, path, blob_id FROM up WHERE parent_id = 0 ORDER BY container_id, path`;
