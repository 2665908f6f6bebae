import { EntityRepository } from '../../database/entity-repository.js';
import type { Page } from '../../common/listing/page.js';
import { LAST_ID, walkStart } from '../../common/listing/cursor.js';
import type { WalkQuery } from '../../common/listing/walk.query.js';
import type { Principal, Role } from '../principal.js';
import { ApiKey } from './api-key.entity.js';
import type { StoredKey } from './key-text.js';

/** Fields that determine a key's rights in projects. */
export type KeyLimits = Pick<ApiKey, 'role' | 'created_by' | 'access' | 'project_ids'>;

/** Valid key with its current role. */
type ValidKey = KeyLimits & Pick<ApiKey, 'id' | 'company_id' | 'name' | 'prefix' | 'expires_at'> & { role: Role };

/** Condition for keys that a caller may see and revoke. Parameters $1 to $4 are the values of {@link reach}. */
const WITHIN_REACH = 'company_id = $1 AND revoked_at IS NULL AND ($2::boolean OR created_by = $3 OR id = $4::uuid)';

/**
 * Returns the parameters of {@link WITHIN_REACH}. Members reach their own keys, a key reaches itself, and company-level callers
 * reach all keys.
 */
const reach = ({ company_id, isCompanyLevel, user_id, api_key_id }: Principal): unknown[] => [
  company_id,
  isCompanyLevel,
  user_id,
  api_key_id,
];

/**
 * Stores API keys. To add a key, lock its creator's row first, so that concurrent requests cannot exceed the creator's limit.
 */
export class ApiKeysRepository extends EntityRepository(ApiKey) {
  /** Returns the number of valid keys that a user has created. */
  async countValid(company_id: string, user_id: string): Promise<number> {
    const [valid]: { keys: number }[] = await this.query(
      `SELECT count(*) AS keys FROM api_keys
        WHERE company_id = $1 AND created_by = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [company_id, user_id],
    );
    if (valid === undefined) throw new Error('A count has no row');
    return valid.keys;
  }

  /** Returns a page of the unrevoked keys within the caller's reach, newest first. */
  async page(caller: Principal, page: WalkQuery): Promise<Page<ApiKey>> {
    const { limit, offset } = page;
    const start = walkStart('keys', page);
    const some =
      start === undefined
        ? 'SELECT * FROM reached ORDER BY id DESC LIMIT $5 OFFSET $6'
        : 'SELECT * FROM reached WHERE id < $6 ORDER BY id DESC LIMIT $5';
    const rows: ((ApiKey | { id: null }) & { total: number })[] = await this.query(
      `WITH reached AS (SELECT * FROM api_keys WHERE ${WITHIN_REACH})
       SELECT page.*, counted.total
         FROM (SELECT count(*)::integer AS total FROM reached) counted
         LEFT JOIN (${some}) page ON true
        ORDER BY page.id DESC`,
      [...reach(caller), limit, start === undefined ? offset : (start ?? LAST_ID)],
    );
    // A page beyond the end is a single row that contains only the total.
    return {
      rows: rows.filter((row): row is ApiKey & { total: number } => row.id !== null),
      total: rows[0]?.total ?? 0,
    };
  }

  /** Revokes a key. Returns false if the key is not within the caller's reach. A read-only key reaches only itself. */
  async revoke(caller: Principal, id: string): Promise<boolean> {
    const { company_id, isCompanyLevel, access, user_id, api_key_id } = caller;
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE api_keys SET revoked_at = clock_timestamp() WHERE ${WITHIN_REACH} AND id = $5`,
      [company_id, isCompanyLevel && access === 'write', user_id, api_key_id, id],
    );
    return count > 0;
  }

  /** Returns the ids of the revoked keys among the given keys. */
  async revokedOf(ids: readonly string[]): Promise<string[]> {
    const revoked: { id: string }[] = await this.query(
      'SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NOT NULL',
      [ids],
    );
    return revoked.map(({ id }) => id);
  }

  /** Returns a key's limits, even if the key is invalid. */
  async limitsOf(id: string): Promise<KeyLimits> {
    const select = { role: true, created_by: true, access: true, project_ids: true } as const;
    return await this.findOneOrFail({ select, where: { id } });
  }

  /** Returns the valid key with these stored fields and records its use. Returns undefined if no key matches. */
  async use({ prefix, secret_hash }: StoredKey): Promise<ValidKey | undefined> {
    const [match]: ValidKey[] = await this.query(
      `WITH found AS (
         SELECT k.id, k.company_id, k.name, k.prefix, k.expires_at, k.created_by, k.access, k.project_ids,
                CASE u.role WHEN 'company' THEN k.role ELSE u.role END AS role
           FROM api_keys k
           JOIN users u ON u.company_id = k.company_id AND u.id = k.created_by
          WHERE k.prefix = $1 AND k.secret_hash = $2 AND k.revoked_at IS NULL AND k.expires_at > clock_timestamp()
       ), used AS (
         UPDATE api_keys k SET last_used_at = clock_timestamp() FROM found
          WHERE k.id = found.id
            AND (k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 min')
       )
       SELECT * FROM found`,
      [prefix, secret_hash],
    );
    return match;
  }
}
