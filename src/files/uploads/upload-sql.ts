const VALID_KEY = 'k.revoked_at IS NULL AND k.expires_at > now()';

/** Locks the open upload of blob `$1` that the store calls `$2`; none when it is over or what it uploads to was deleted. */
export const UPLOAD_OF_PART = `
  SELECT u.id, u.company_id, u.size, u.received,
         u.api_key_id IS NOT NULL AND NOT EXISTS (
           SELECT FROM api_keys k WHERE k.company_id = u.company_id AND k.id = u.api_key_id AND ${VALID_KEY}) AS is_revoked
    FROM uploads u JOIN containers c ON c.id = u.container_id AND c.deleted_at IS NULL
   WHERE u.blob_id = $1 AND u.store_upload_id = $2 AND u.state = 'open' AND u.expires_at > now()
     FOR NO KEY UPDATE OF u`;

/** Bytes that are counted for part `$2` of upload `$1`. */
export const PART_SIZE = 'SELECT size FROM upload_parts WHERE upload_id = $1 AND part_number = $2';

/** Counts `$3` bytes for part `$2` of upload `$1`, in place of what was counted for it; nothing when the upload is over. */
export const SET_PART_SIZE = `
  WITH upload AS (SELECT id FROM uploads WHERE id = $1 AND state IN ('open', 'completing') FOR NO KEY UPDATE),
  part AS (
    INSERT INTO upload_parts AS p (upload_id, part_number, size) SELECT id, $2, $3 FROM upload
    ON CONFLICT (upload_id, part_number) DO UPDATE SET size = excluded.size
    RETURNING p.upload_id, new.size - coalesce(old.size, 0) AS more
  )
  UPDATE uploads u SET received = u.received + part.more FROM part WHERE u.id = part.upload_id`;

/** A row when container `$1` is there and the API key `$2`, where there is one, is valid. */
export const DOWNLOAD_ALLOWED = `
  SELECT 1
   WHERE EXISTS (SELECT FROM containers c WHERE c.id = $1::uuid AND c.deleted_at IS NULL)
     AND ($2::uuid IS NULL OR EXISTS (SELECT FROM api_keys k WHERE k.id = $2 AND ${VALID_KEY}))`;

/** Bytes that a company keeps or is about to: what nobody refers to any more is not counted, declared sizes of uploads are. */
export const KEPT_BYTES = `
  SELECT (SELECT coalesce(sum(size), 0) FROM blobs WHERE company_id = $1 AND unreferenced_since IS NULL)
       + (SELECT coalesce(sum(coalesce(u.size, u.received)), 0) FROM uploads u
           WHERE u.company_id = $1 AND u.state IN ('open', 'completing') AND u.blob_id IS DISTINCT FROM $2) AS kept`;
