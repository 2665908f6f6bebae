import { ADD_RECEIVED } from './uploads.sql.js';

/** Deletes the parts of the upload that the CTE `ended` has ended. */
export const DELETE_PARTS_OF_ENDED = 'DELETE FROM upload_parts p USING ended WHERE p.upload_id = ended.id';

/** Selects the bytes counted for part `$2` of upload `$1`: the larger of the received bytes and their possible replacement. */
export const COUNTED_OF_PART =
  'SELECT greatest(size, expected) AS counted FROM upload_parts WHERE upload_id = $1 AND part_number = $2';

/**
 * Counts the `$4` bytes that request `$3` may send as part `$2` of the locked upload `$1`. Earlier requests for the part can no
 * longer complete, including requests from a crashed process.
 */
export const EXPECT_PART = `
  WITH part AS (
    INSERT INTO upload_parts AS p (upload_id, part_number, put_id, expected) VALUES ($1, $2, $3, $4)
    ON CONFLICT (upload_id, part_number) DO UPDATE SET put_id = excluded.put_id, expected = excluded.expected
    RETURNING p.upload_id,
              greatest(new.size, new.expected) - coalesce(greatest(old.size, old.expected), 0) AS more
  )
  ${ADD_RECEIVED}`;

/**
 * Ends request `$3`, which has sent `$4` bytes as part `$2` of upload `$1`. If `$4` is null, the part stays unchanged. Returns
 * a row if it was the newest request for the part and the upload is still open.
 */
export const END_PART = `
  WITH upload AS (SELECT id FROM uploads WHERE id = $1 AND state IN ('open', 'completing') FOR NO KEY UPDATE),
  part AS (
    UPDATE upload_parts p SET size = coalesce($4::bigint, p.size), expected = 0, put_id = NULL
      FROM upload WHERE p.upload_id = upload.id AND p.part_number = $2 AND p.put_id = $3
    RETURNING p.upload_id, new.size - greatest(old.size, old.expected) AS more
  ),
  counted AS (${ADD_RECEIVED})
  SELECT FROM part`;
