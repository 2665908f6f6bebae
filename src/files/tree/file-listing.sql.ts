import { belowIn, childrenOf, nodeOf } from './file-tree.sql.js';

/**
 * Statements that list directories. Each returns a page as a single row of JSON, with directories first, then files, ordered by
 * the bytes of their paths.
 *
 * Each statement looks up its container with `place`, which is SQL for a row with `container_id`, based on `$1` and the scope
 * `$6`. The company is `$2`, the path `$3`, the limit `$4` and the offset `$5`. The result is empty if `place` finds nothing,
 * and `total` is null if the container does not have the directory.
 */

/** SQL for the `place` of a container whose id `$1` is already known. */
export const KNOWN_CONTAINER = 'SELECT $1::uuid AS container_id';

const CONTAINER = '(SELECT container_id FROM place)';

/** Returns SQL for the path from the container's root for a `path` below the directory. */
const fromRoot = (path: string): string => `concat_ws('/', nullif($3::text, ''), ${path})`;

/**
 * CTE `sought` with the directory and the number of its entries. It follows a single path, so that the planner expects few
 * rows.
 */
const find = (place: string): string => `
  WITH RECURSIVE place AS MATERIALIZED (${place}),
  walk AS (
    SELECT string_to_array(nullif($3::text, ''), '/') AS names, 0 AS depth, r.node_id, r.kind, r.entries
      FROM containers k JOIN nodes r ON r.container_id = k.id AND r.node_id = 0
     WHERE k.id = ${CONTAINER} AND k.company_id = $2 AND k.deleted_at IS NULL
    UNION ALL
    SELECT w.names, w.depth + 1, n.node_id, n.kind, n.entries
      FROM walk w CROSS JOIN ${childrenOf('w', 'w.names[w.depth + 1]', CONTAINER)} n
  ),
  sought AS (SELECT node_id, entries FROM walk WHERE depth = coalesce(cardinality(names), 0) AND kind = 'directory')`;

/** Returns the columns of a {@link ListedFile} for a node `n`. */
const listed = (path: string): string =>
  `${fromRoot(path)} AS path, n.size, n.content_type, iso_timestamp(n.modified) AS modified, n.source, n.file_id`;

/**
 * Selects the first nodes of a kind directly in the directory `s`, by name. The limit is hidden from the planner, which expects
 * few nodes per directory and would otherwise read and sort a whole large directory.
 */
const firstOf = (kind: 'directory' | 'file', most: string, condition = 'true'): string => `
      SELECT * FROM nodes c
       WHERE c.container_id = ${CONTAINER} AND c.parent_id = s.node_id AND c.kind = '${kind}' AND ${condition}
       ORDER BY c.name LIMIT (SELECT ${most})`;

/** Lists the entries in the directory. */
export const listChildren = (place: string): string => `
  ${find(place)}
  SELECT s.entries AS total, d.directories, f.files
    FROM place
    LEFT JOIN sought s ON true
    CROSS JOIN LATERAL (
      SELECT count(*) AS seen, coalesce(json_agg(${fromRoot('n.name')}) FILTER (WHERE n.ord > $5), '[]') AS directories
        FROM (SELECT name, row_number() OVER () AS ord FROM (${firstOf('directory', '$4::bigint + $5::bigint')}) c) n) d
    CROSS JOIN LATERAL (SELECT greatest($5 - d.seen, 0) AS skipped, $4 - greatest(d.seen - $5, 0) AS wanted) page
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(file), '[]') AS files
        FROM (SELECT ${listed('n.name')}
                FROM (SELECT * FROM (${firstOf('file', 'page.skipped + page.wanted')}) c OFFSET page.skipped) n) file) f`;

/**
 * Lists the entries in the directory after an entry. `$5` is its kind and its path in the directory, both empty at the
 * beginning. The order by name is stable when earlier entries are added or removed.
 */
export const walkChildren = (place: string): string => `
  ${find(place)}
  SELECT s.entries AS total, d.directories, f.files
    FROM place
    LEFT JOIN sought s ON true
    CROSS JOIN LATERAL (
      SELECT count(*) AS seen, coalesce(json_agg(${fromRoot('n.name')}), '[]') AS directories
        FROM (${firstOf('directory', '$4::bigint', `c.name > ${AFTER} AND ${AFTER_KIND} <> 'file'`)}) n) d
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(file), '[]') AS files
        FROM (SELECT ${listed('n.name')}
                FROM (${firstOf('file', '$4::bigint - d.seen', `c.name > CASE ${AFTER_KIND} WHEN 'file' THEN ${AFTER} ELSE '' END`)}) n) file) f`;

const AFTER_KIND = '($5::text[])[1]';
const AFTER = '($5::text[])[2]';

/** Lists everything below the directory. */
export const listBelow = (place: string): string => below(place, 'LIMIT $4 OFFSET $5');

/** Lists everything below the directory after an entry. `$5` is as in {@link walkChildren}. */
export const walkBelow = (place: string): string =>
  below(
    place,
    'LIMIT $4',
    `WHERE (kind COLLATE "C", path COLLATE "C") > (${AFTER_KIND} COLLATE "C", ${AFTER} COLLATE "C")`,
  );

const below = (place: string, page: string, condition = ''): string => `
  ${find(place)}, ${belowIn(CONTAINER, '$3::text')},
  page AS MATERIALIZED (SELECT * FROM below ${condition} ORDER BY kind, path COLLATE "C" ${page})
  SELECT CASE WHEN s.node_id IS NOT NULL THEN (SELECT count(*) FROM below) END AS total,
         (SELECT coalesce(json_agg(${fromRoot('p.path')} ORDER BY p.path COLLATE "C"), '[]')
            FROM page p WHERE p.kind = 'directory') AS directories,
         (SELECT coalesce(json_agg(file), '[]')
            FROM (SELECT ${listed('p.path')} FROM page p CROSS JOIN ${nodeOf('p', CONTAINER)} n
                   WHERE p.kind = 'file' ORDER BY p.path COLLATE "C") file) AS files
    FROM place LEFT JOIN sought s ON true`;
