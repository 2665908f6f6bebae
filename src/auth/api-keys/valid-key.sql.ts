/** SQL condition that the API key in the row `k` is valid. */
export const VALID_KEY = 'k.revoked_at IS NULL AND k.expires_at > now()';
