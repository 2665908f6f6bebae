import { INSERT_GONE } from './doomed-objects.repository.js';

/**
 * Condition that no row refers to the blob `b`. The foreign keys of these tables enforce the same condition. `OFFSET 0` forces
 * two index lookups per blob. Without it, the planner would read the whole `nodes` table for a page of blobs.
 */
const UNREFERENCED = `
      NOT EXISTS (SELECT FROM nodes n WHERE n.blob_id = b.id OFFSET 0)
  AND NOT EXISTS (SELECT FROM uploads u WHERE u.blob_id = b.id OFFSET 0)`;

/** Selects the last of the `$2` blobs after blob `$1`. Selects nothing after the last blob. */
export const PAGE_OF_BLOBS = `
  WITH page AS (SELECT id FROM blobs WHERE id > $1 ORDER BY id LIMIT $2) SELECT id FROM page ORDER BY id DESC LIMIT 1`;

/** Unmarks blobs after `$1` up to `$2` that are referenced again. */
export const CLEAR_MARKS = `
  UPDATE blobs b SET unreferenced_since = NULL
   WHERE b.id > $1 AND b.id <= $2 AND b.unreferenced_since IS NOT NULL AND NOT (${UNREFERENCED})`;

/** Marks unreferenced blobs after `$1` up to `$2`, including unfinished blobs. */
export const MARK_BLOBS = `
  UPDATE blobs b SET unreferenced_since = now()
   WHERE b.id > $1 AND b.id <= $2 AND b.unreferenced_since IS NULL AND ${UNREFERENCED}`;

/** Selects `$3` blobs after blob `$2` that have been marked for `$1` seconds. */
export const MARKED_BLOBS = `
  SELECT b.id FROM blobs b
   WHERE b.unreferenced_since <= now() - make_interval(secs => $1) AND b.id > $2
   ORDER BY b.id LIMIT $3`;

/**
 * Locks the blobs `$1` and skips blobs that a transaction is about to reference. Locked blobs cannot be referenced until this
 * transaction ends.
 */
export const LOCK_BLOBS = 'SELECT b.id FROM blobs b WHERE b.id = ANY ($1::uuid[]) ORDER BY b.id FOR UPDATE SKIP LOCKED';

/** Deletes the locked blobs `$1` that are still unreferenced, and records their objects for deletion. */
export const DOOM_BLOBS = `
  WITH gone AS (DELETE FROM blobs b WHERE b.id = ANY ($1::uuid[]) AND ${UNREFERENCED} RETURNING b.id)
  ${INSERT_GONE}`;

/** Deletes the unreferenced blobs among `$1`. */
export const DELETE_UNREFERENCED = `
  DELETE FROM blobs b WHERE b.id = ANY ($1::uuid[])
     AND NOT EXISTS (SELECT FROM nodes n WHERE n.blob_id = b.id) AND NOT EXISTS (SELECT FROM uploads u WHERE u.blob_id = b.id)`;

/** Marks blobs `$1` as complete, with sizes `$2` and hashes `$3`. */
export const SET_STORED = `
  UPDATE blobs b SET state = 'stored', size = s.size, sha256 = s.sha256
    FROM unnest($1::uuid[], $2::bigint[], $3::bytea[]) AS s (id, size, sha256) WHERE b.id = s.id`;

/**
 * Selects the number of bytes that company `$1` stores or is about to store. Unreferenced blobs are not counted. Declared upload
 * sizes are counted, except for the upload of blob `$2`.
 */
export const KEPT_BYTES = `
  SELECT (SELECT coalesce(sum(size), 0) FROM blobs WHERE company_id = $1 AND unreferenced_since IS NULL)
       + (SELECT coalesce(sum(coalesce(u.size, u.received)), 0) FROM uploads u
           WHERE u.company_id = $1 AND u.state IN ('open', 'completing') AND u.blob_id IS DISTINCT FROM $2
             AND (u.store_upload_id IS NOT NULL OR u.expires_at > now())) AS kept`;
