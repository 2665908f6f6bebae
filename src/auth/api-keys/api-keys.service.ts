import { Injectable } from '@nestjs/common';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { Conflict, Forbidden, Invalid, invalidValue, NotFound, parseId } from '../../common/errors/errors.js';
import type { Page } from '../../common/listing/page.js';
import type { WalkQuery } from '../../common/listing/walk.query.js';
import { UsersRepository } from '../identities/users.repository.js';
import { Principal, type ProjectRights } from '../principal.js';
import type { ApiKey } from './api-key.entity.js';
import { type ApiKeyCreateRequest, ApiKeyCreateResponse } from './api-keys.dto.js';
import { ApiKeysRepository, type KeyLimits } from './api-keys.repository.js';
import { makeKey, parseKey } from './key-text.js';
import { RevocationsChannel } from './revocations.channel.js';

const LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** Maximum number of valid keys per user. Needed because request and stream limits apply per key. */
const MAX_KEYS = 100;

/** Runs in the transaction that revokes a key. */
export type RevocationListener = (tx: Tx, api_key_id: string) => Promise<void>;

/** Returns the indexes of the projects that the caller has no access to. */
export type ProjectCheck = (caller: Principal, project_ids: readonly string[]) => Promise<number[]>;

/** Manages the API keys that users create for programs. */
@Injectable()
export class ApiKeysService {
  private readonly revocationListeners: RevocationListener[] = [];
  private checkProjects: ProjectCheck = () => {
    throw new Error('No project check is registered');
  };

  constructor(
    private readonly database: DatabaseService,
    private readonly apiKeys: ApiKeysRepository,
    private readonly users: UsersRepository,
    private readonly revocations: RevocationsChannel,
  ) {}

  /** Registers a listener that ends work started with a revoked key. Must be called while modules initialize. */
  onRevoke(listener: RevocationListener): void {
    this.revocationListeners.push(listener);
  }

  /** Registers the projects module's access check. Must be called while modules initialize. */
  provideProjects(check: ProjectCheck): void {
    this.checkProjects = check;
  }

  /**
   * Creates a key and returns its text, which is not stored.
   *
   * @throws Forbidden if the caller is not a user or requests more rights than they have
   * @throws Invalid for a project that the caller has no access to
   * @throws Conflict if they have too many keys
   */
  async create(
    caller: Principal,
    { name, role, access, project_ids, expires_at = new Date(Date.now() + LIFETIME_MS) }: ApiKeyCreateRequest,
  ): Promise<ApiKeyCreateResponse> {
    const { company_id, user_id, kind, isCompanyLevel } = caller;
    if (kind !== 'user' || user_id === null) throw new Forbidden('user_required', 'Only users can create API keys');
    if (role === 'company' && !isCompanyLevel)
      throw new Forbidden('key_above_creator', 'An API key cannot have a higher role than its creator');
    const projects = project_ids == null ? null : [...new Set(project_ids.map((id) => id.toLowerCase()))];
    await this.assertVisible(caller, project_ids ?? []);
    const { key, ...stored } = makeKey();
    const row = this.apiKeys.create({
      ...stored,
      company_id,
      name,
      role,
      access,
      project_ids: projects,
      created_by: user_id,
      expires_at,
      revoked_at: null,
      last_used_at: null,
    });
    return await this.database.transaction(async (tx) => {
      const apiKeys = tx.withRepository(this.apiKeys);
      await tx.withRepository(this.users).lock(company_id, user_id);
      return await caller.once(tx, async () => {
        if ((await apiKeys.countValid(company_id, user_id)) >= MAX_KEYS) {
          throw new Conflict(
            'too_many_api_keys',
            `A user can have at most ${MAX_KEYS} valid API keys; revoke one first`,
          );
        }
        await apiKeys.insert(row);
        return ApiKeyCreateResponse.created({ row, key });
      });
    });
  }

  /** Returns a page of the unrevoked keys within the caller's reach, newest first. */
  async list(caller: Principal, page: WalkQuery): Promise<Page<ApiKey>> {
    return await this.apiKeys.page(caller, page);
  }

  /** Revokes a key permanently. @throws NotFound for an unknown key and for a key out of the caller's reach */
  async revoke(caller: Principal, id: string): Promise<void> {
    const keyId = parseId(id, 'API key');
    await this.database.transaction(async (tx) => {
      if (!(await tx.withRepository(this.apiKeys).revoke(caller, keyId))) throw new NotFound('API key');
      for (const listener of this.revocationListeners) await listener(tx, keyId);
    });
    this.revocations.send(keyId);
  }

  /** Returns a key's rights in projects: its creator's rights, restricted by the key's limits. */
  async rightsOf(api_key_id: string): Promise<ProjectRights> {
    return toRights(await this.apiKeys.limitsOf(api_key_id));
  }

  /** @throws Invalid */
  private async assertVisible(caller: Principal, project_ids: readonly string[]): Promise<void> {
    const unseen = project_ids.length === 0 ? [] : await this.checkProjects(caller, project_ids);
    if (unseen.length === 0) return;
    throw new Invalid(
      unseen.map((index) =>
        invalidValue(['body', 'project_ids', index], 'there is no such project', project_ids[index]),
      ),
    );
  }

  /**
   * Returns the principal for a key, or null if the key is invalid.
   *
   * A key has the rights of its creator according to their last token, but at most the rights requested when it was created.
   */
  async verify(key: string): Promise<Principal | null> {
    const stored = parseKey(key);
    if (stored === null) return null;
    const row = await this.apiKeys.use(stored);
    if (row === undefined) return null;
    const { id, company_id, name, prefix, expires_at, role } = row;
    return Principal.apiKey({
      company_id,
      role,
      ...toRights(row),
      api_key_id: id,
      api_key_name: name,
      api_key_prefix: prefix,
      expires_at,
    });
  }
}

/** Converts limits to rights. Whether the creator is company-level is checked again on each project access. */
const toRights = ({ role, created_by: person_id, access, project_ids }: KeyLimits): ProjectRights => ({
  person_id,
  sees_all: role === 'company' ? null : false,
  access,
  project_ids,
});
