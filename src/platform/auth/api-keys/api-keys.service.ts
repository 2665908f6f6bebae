import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Conflict, Forbidden, NotFound, parseId } from '../../errors/errors.js';
import type { Page } from '../../listing/page.js';
import type { PageQuery } from '../../listing/page.query.js';
import { Principal, type Role } from '../principal.js';
import { ApiKey } from './api-key.entity.js';
import type { ApiKeyCreateRequest } from './api-keys.dto.js';
import { makeKey, parseKey } from './key-text.js';
import { Revocations } from './revocations.service.js';

const LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** Most valid keys of a user: limits of requests and streams are each key's own. */
const MOST_KEYS = 100;

/** Keys that a caller may see and revoke; parameters $1 to $4 are those of {@link reach}. */
const WITHIN_REACH = 'company_id = $1 AND revoked_at IS NULL AND ($2::boolean OR created_by = $3 OR id = $4::uuid)';

/** A member reaches their own keys, a key itself; a company-level caller reaches everybody's. */
const reach = ({ company_id, isCompanyLevel, user_id, api_key_id }: Principal): unknown[] => [
  company_id,
  isCompanyLevel,
  user_id,
  api_key_id,
];

/** Credentials of programs. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly revocations: Revocations,
  ) {}

  /**
   * Makes a key; its text is known here and now only.
   *
   * @throws Forbidden when the caller is no user, or asks for more than they may do.
   * @throws Conflict when they have too many.
   */
  async create(
    caller: Principal,
    { name, role, expires_at = new Date(Date.now() + LIFETIME_MS) }: ApiKeyCreateRequest,
  ): Promise<{ row: ApiKey; key: string }> {
    const { company_id, user_id, kind, isCompanyLevel } = caller;
    if (kind !== 'user' || user_id === null) throw new Forbidden('Only users create API keys');
    if (role === 'company' && !isCompanyLevel) throw new Forbidden('A key cannot be above its creator');
    const { key, ...stored } = makeKey();
    const row = this.database.manager.create(ApiKey, {
      ...stored,
      company_id,
      name,
      role,
      created_by: user_id,
      expires_at,
      revoked_at: null,
      last_used_at: null,
    });
    await this.database.transaction(async (tx) => {
      const user = [company_id, user_id];
      await tx.query('SELECT FROM users WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE', user);
      const [valid]: { keys: number }[] = await tx.query(
        `SELECT count(*) AS keys FROM api_keys
          WHERE company_id = $1 AND created_by = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
        user,
      );
      if (valid === undefined || valid.keys >= MOST_KEYS) {
        throw new Conflict(`A user has at most ${MOST_KEYS} valid API keys; revoke one first`);
      }
      await tx.insert(ApiKey, row);
    });
    return { row, key };
  }

  /** Keys within the caller's reach that were not revoked, newest first. */
  async list(caller: Principal, { limit, offset }: PageQuery): Promise<Page<ApiKey>> {
    const rows: ((ApiKey | { id: null }) & { total: number })[] = await this.database.manager.query(
      `WITH reached AS (SELECT * FROM api_keys WHERE ${WITHIN_REACH})
       SELECT page.*, counted.total
         FROM (SELECT count(*)::integer AS total FROM reached) counted
         LEFT JOIN (SELECT * FROM reached ORDER BY id DESC LIMIT $5 OFFSET $6) page ON true
        ORDER BY page.id DESC`,
      [...reach(caller), limit, offset],
    );
    // A page beyond the end is one row that holds the total alone.
    return {
      rows: rows.filter((row): row is ApiKey & { total: number } => row.id !== null),
      total: rows[0]?.total ?? 0,
    };
  }

  /** Ends a key for good. @throws NotFound also for a key out of the caller's reach. */
  async revoke(caller: Principal, id: string): Promise<void> {
    const keyId = parseId(id, 'API key');
    const [, count]: [unknown[], number] = await this.database.manager.query(
      `UPDATE api_keys SET revoked_at = clock_timestamp() WHERE ${WITHIN_REACH} AND id = $5`,
      [...reach(caller), keyId],
    );
    if (count === 0) throw new NotFound('API key');
    this.revocations.announce(keyId);
  }

  /**
   * The principal of a key; null when it is not valid now.
   *
   * A key may do what its creator may, as their last token says, and at most what was asked for when it was made.
   */
  async verify(key: string): Promise<Principal | null> {
    const stored = parseKey(key);
    if (stored === null) return null;
    const [found]: (Pick<ApiKey, 'id' | 'company_id' | 'name' | 'prefix' | 'expires_at'> & { role: Role })[] =
      await this.database.manager.query(
        `WITH found AS (
           SELECT k.id, k.company_id, k.name, k.prefix, k.expires_at,
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
        [stored.prefix, stored.secret_hash],
      );
    if (found === undefined) return null;
    const { id, company_id, name, prefix, expires_at, role } = found;
    return Principal.apiKey({
      company_id,
      role,
      api_key_id: id,
      api_key_name: name,
      api_key_prefix: prefix,
      expires_at,
    });
  }
}
