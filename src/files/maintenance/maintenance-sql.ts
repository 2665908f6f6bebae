/**
 * Nothing refers to the blob `b`. The foreign keys of these tables hold what is decided here. The `OFFSET 0` makes it two
 * look-ups per blob whatever the planner expects: it would rather read all of `nodes` for a page of blobs.
 */
const UNREFERENCED = `
      NOT EXISTS (SELECT FROM nodes n WHERE n.blob_id = b.id OFFSET 0)
  AND NOT EXISTS (SELECT FROM uploads u WHERE u.blob_id = b.id OFFSET 0)`;

/** The last of the `$2` blobs after blob `$1`; none when there are none. */
export const PAGE_OF_BLOBS = `
  WITH page AS (SELECT id FROM blobs WHERE id > $1 ORDER BY id LIMIT $2) SELECT id FROM page ORDER BY id DESC LIMIT 1`;

/** Takes the mark off blobs after `$1` up to `$2` that are referred to again. */
export const CLEAR_MARKS = `
  UPDATE blobs b SET unreferenced_since = NULL
   WHERE b.id > $1 AND b.id <= $2 AND b.unreferenced_since IS NOT NULL AND NOT (${UNREFERENCED})`;

/** Marks blobs after `$1` up to `$2` that nothing refers to, also those that were never finished. */
export const MARK_BLOBS = `
  UPDATE blobs b SET unreferenced_since = now()
   WHERE b.id > $1 AND b.id <= $2 AND b.unreferenced_since IS NULL AND ${UNREFERENCED}`;

/** `$3` blobs after blob `$2` that have been marked for `$1` seconds. */
export const MARKED_BLOBS = `
  SELECT b.id FROM blobs b
   WHERE b.unreferenced_since <= now() - make_interval(secs => $1) AND b.id > $2
   ORDER BY b.id LIMIT $3`;

/** Locks those of the blobs `$1` that no transaction is about to refer to, so that none can until this one ends. */
export const LOCK_BLOBS = 'SELECT b.id FROM blobs b WHERE b.id = ANY ($1::uuid[]) ORDER BY b.id FOR UPDATE SKIP LOCKED';

/** Deletes those of the locked blobs `$1` that still nothing refers to, and notes their objects. */
export const DOOM_BLOBS = `
  WITH gone AS (DELETE FROM blobs b WHERE b.id = ANY ($1::uuid[]) AND ${UNREFERENCED} RETURNING b.id)
  INSERT INTO doomed_objects (blob_id) SELECT id FROM gone`;

/** Containers that were deleted `$1` seconds ago and still hold something. */
export const DELETED_CONTAINERS = `
  SELECT c.id FROM containers c
   WHERE c.deleted_at <= now() - make_interval(secs => $1) AND EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)`;

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
