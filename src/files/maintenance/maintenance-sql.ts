/** Nothing refers to the blob `b`. The foreign keys of these tables hold what is decided here. */
const UNREFERENCED = `
      NOT EXISTS (SELECT FROM nodes n WHERE n.blob_id = b.id)
  AND NOT EXISTS (SELECT FROM uploads u WHERE u.blob_id = b.id)`;

/** Takes the mark off blobs that are referred to again. */
export const CLEAR_MARKS = `
  UPDATE blobs b SET unreferenced_since = NULL WHERE b.unreferenced_since IS NOT NULL AND NOT (${UNREFERENCED})`;

/** Marks blobs that nothing refers to, also those that were never finished. */
export const MARK_BLOBS = `
  UPDATE blobs b SET unreferenced_since = now() WHERE b.unreferenced_since IS NULL AND ${UNREFERENCED}`;

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
