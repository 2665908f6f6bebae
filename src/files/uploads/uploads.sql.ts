import { VALID_KEY } from '../../auth/api-keys/valid-key.sql.js';

/** Locks the open upload of blob `$1` with the store's id `$2`. No row if it has ended or its container was deleted. */
export const UPLOAD_OF_PART = `
  SELECT u.id, u.company_id, u.size, u.received,
         u.api_key_id IS NOT NULL AND NOT EXISTS (
           SELECT FROM api_keys k WHERE k.company_id = u.company_id AND k.id = u.api_key_id AND ${VALID_KEY}) AS is_revoked
    FROM uploads u JOIN containers c ON c.id = u.container_id AND c.deleted_at IS NULL
   WHERE u.blob_id = $1 AND u.store_upload_id = $2 AND u.state = 'open' AND u.expires_at > now()
     FOR NO KEY UPDATE OF u`;

/** Adds the bytes `more` of the CTE `part` to the received bytes. */
export const ADD_RECEIVED =
  'UPDATE uploads u SET received = u.received + part.more FROM part WHERE u.id = part.upload_id';
