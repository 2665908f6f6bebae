import { EntityRepository } from '../../database/entity-repository.js';
import type { Page } from '../../common/listing/page.js';
import { LAST_ID, walkStart } from '../../common/listing/cursor.js';
import type { WalkQuery } from '../../common/listing/walk.query.js';
import type { Principal, Role } from '../principal.js';
import { ApiKey } from './api-key.entity.js';
import type { StoredKey } from './key-text.js';

/** What decides what a key may do in projects. */
export type KeyLimits = Pick<ApiKey, 'role' | 'created_by' | 'access' | 'project_ids'>;

/** A key that is valid, with the role that it has now. */
type ValidKey = KeyLimits & Pick<ApiKey, 'id' | 'company_id' | 'name' | 'prefix' | 'expires_at'> & { role: Role };

/** Keys that a caller may see and revoke; parameters $1 to $4 are those of {@link reach}. */
const WITHIN_REACH = 'company_id = $1 AND revoked_at IS NULL AND ($2::boolean OR created_by = $3 OR id = $4::uuid)';

/** A member reaches their own keys, a key itself; a company-level caller reaches everybody's. */
const reach = ({ company_id, isCompanyLevel, user_id, api_key_id }: Principal): unknown[] => [
  company_id,
  isCompanyLevel,
  user_id,
  api_key_id,
];

/** API keys. Whoever adds one holds the lock of its creator's row, so that keys can be counted before. */
export class ApiKeysRepository extends EntityRepository(ApiKey) {
  /** Number of valid keys that a user has made. */
  async countValid(company_id: string, user_id: string): Promise<number> {
    const [valid]: { keys: number }[] = await this.query(
      `SELECT count(*) AS keys FROM api_keys
        WHERE company_id = $1 AND created_by = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [company_id, user_id],
    );
    if (valid === undefined) throw new Error('A count has no row');
    return valid.keys;
  }

  /** A page of the keys within the caller's reach that were not revoked, newest first. */
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
    // A page beyond the end is one row that holds the total alone.
    return {
      rows: rows.filter((row): row is ApiKey & { total: number } => row.id !== null),
      total: rows[0]?.total ?? 0,
    };
  }

  /** Revokes a key; false when the caller reaches none of this id. A key that only reads reaches itself alone. */
  async revoke(caller: Principal, id: string): Promise<boolean> {
    const { company_id, isCompanyLevel, access, user_id, api_key_id } = caller;
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE api_keys SET revoked_at = clock_timestamp() WHERE ${WITHIN_REACH} AND id = $5`,
      [company_id, isCompanyLevel && access === 'write', user_id, api_key_id, id],
    );
    return count > 0;
  }

  /** The ids of those that were revoked. */
  async revokedOf(ids: readonly string[]): Promise<string[]> {
    const revoked: { id: string }[] = await this.query(
      'SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NOT NULL',
      [ids],
    );
    return revoked.map(({ id }) => id);
  }

  /** What a key may do at most, whether it is valid or not. */
  async limitsOf(id: string): Promise<KeyLimits> {
    const select = { role: true, created_by: true, access: true, project_ids: true } as const;
    return await this.findOneOrFail({ select, where: { id } });
  }

  /** The valid key of this text, whose use is noted; undefined when there is none. */
  async use({ prefix, secret_hash }: StoredKey): Promise<ValidKey | undefined> {
    const [found]: ValidKey[] = await this.query(
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
    return found;
  }
}
