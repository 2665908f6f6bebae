import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.service.js';
import { Conflict, Forbidden, NotFound, parseId } from '../../errors/errors.js';
import type { Page } from '../../listing/page.js';
import type { PageQuery } from '../../listing/page.query.js';
import { UsersRepository } from '../identities/users.repository.js';
import { Principal } from '../principal.js';
import type { ApiKey } from './api-key.entity.js';
import type { ApiKeyCreateRequest } from './api-keys.dto.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { makeKey, parseKey } from './key-text.js';
import { RevocationsChannel } from './revocations.channel.js';

const LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** Most valid keys of a user: limits of requests and streams are each key's own. */
const MAX_KEYS = 100;

/** Credentials of programs. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly apiKeys: ApiKeysRepository,
    private readonly users: UsersRepository,
    private readonly revocations: RevocationsChannel,
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
    const row = this.apiKeys.create({
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
      const apiKeys = tx.withRepository(this.apiKeys);
      await tx.withRepository(this.users).lock(company_id, user_id);
      if ((await apiKeys.countValid(company_id, user_id)) >= MAX_KEYS) {
        throw new Conflict(`A user has at most ${MAX_KEYS} valid API keys; revoke one first`);
      }
      await apiKeys.insert(row);
    });
    return { row, key };
  }

  /** Keys within the caller's reach that were not revoked, newest first. */
  async list(caller: Principal, page: PageQuery): Promise<Page<ApiKey>> {
    return await this.apiKeys.page(caller, page);
  }

  /** Ends a key for good. @throws NotFound also for a key out of the caller's reach. */
  async revoke(caller: Principal, id: string): Promise<void> {
    const keyId = parseId(id, 'API key');
    if (!(await this.apiKeys.revoke(caller, keyId))) throw new NotFound('API key');
    this.revocations.send(keyId);
  }

  /**
   * The principal of a key; null when it is not valid now.
   *
   * A key may do what its creator may, as their last token says, and at most what was asked for when it was made.
   */
  async verify(key: string): Promise<Principal | null> {
    const stored = parseKey(key);
    if (stored === null) return null;
    const found = await this.apiKeys.use(stored);
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
