const VALID_KEY = 'k.revoked_at IS NULL AND k.expires_at > now()';

/** Locks the open upload of blob `$1` that the store calls `$2`; none when it is over or what it uploads to was deleted. */
export const UPLOAD_OF_PART = `
  SELECT u.id, u.company_id, u.size, u.received,
         u.api_key_id IS NOT NULL AND NOT EXISTS (
           SELECT FROM api_keys k WHERE k.company_id = u.company_id AND k.id = u.api_key_id AND ${VALID_KEY}) AS is_revoked
    FROM uploads u JOIN containers c ON c.id = u.container_id AND c.deleted_at IS NULL
   WHERE u.blob_id = $1 AND u.store_upload_id = $2 AND u.state = 'open' AND u.expires_at > now()
     FOR NO KEY UPDATE OF u`;

/** Bytes that are counted for part `$2` of upload `$1`: the larger of what is there and what may come in its place. */
export const COUNTED_OF_PART =
  'SELECT greatest(size, expected) AS counted FROM upload_parts WHERE upload_id = $1 AND part_number = $2';

/**
 * Counts that request `$3` may bring `$4` bytes as part `$2` of upload `$1`, which is locked. Whatever request was bringing the
 * part before cannot any more, also one of a process that has died.
 */
export const EXPECT_PART = `
  WITH part AS (
    INSERT INTO upload_parts AS p (upload_id, part_number, put_id, expected) VALUES ($1, $2, $3, $4)
    ON CONFLICT (upload_id, part_number) DO UPDATE SET put_id = excluded.put_id, expected = excluded.expected
    RETURNING p.upload_id,
              greatest(new.size, new.expected) - coalesce(greatest(old.size, old.expected), 0) AS more
  )
  UPDATE uploads u SET received = u.received + part.more FROM part WHERE u.id = part.upload_id`;

/**
 * Ends request `$3` with `$4` bytes as part `$2` of upload `$1`, null to leave the part as it was. A row when it was the newest
 * one of the part and the upload goes on.
 */
export const END_PART = `
  WITH upload AS (SELECT id FROM uploads WHERE id = $1 AND state IN ('open', 'completing') FOR NO KEY UPDATE),
  part AS (
    UPDATE upload_parts p SET size = coalesce($4::bigint, p.size), expected = 0, put_id = NULL
      FROM upload WHERE p.upload_id = upload.id AND p.part_number = $2 AND p.put_id = $3
    RETURNING p.upload_id, new.size - greatest(old.size, old.expected) AS more
  ),
  counted AS (UPDATE uploads u SET received = u.received + part.more FROM part WHERE u.id = part.upload_id)
  SELECT FROM part`;

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
