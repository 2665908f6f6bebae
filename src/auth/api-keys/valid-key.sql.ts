/** SQL that is true when the API key of the row `k` is valid. */
export const VALID_KEY = 'k.revoked_at IS NULL AND k.expires_at > now()';
