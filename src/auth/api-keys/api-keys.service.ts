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
/** Most valid keys of a user: limits of requests and streams are each key's own. */
const MAX_KEYS = 100;

/** Takes part in the transaction that revokes a key. */
export type RevocationListener = (tx: Tx, api_key_id: string) => Promise<void>;

/** Those of the projects, by place, that the caller does not see. */
export type ProjectCheck = (caller: Principal, project_ids: readonly string[]) => Promise<number[]>;

/** Credentials of programs. */
@Injectable()
export class ApiKeysService {
  private readonly revocationListeners: RevocationListener[] = [];
  private checkProjects: ProjectCheck = () => {
    throw new Error('Nothing knows projects');
  };

  constructor(
    private readonly database: DatabaseService,
    private readonly apiKeys: ApiKeysRepository,
    private readonly users: UsersRepository,
    private readonly revocations: RevocationsChannel,
  ) {}

  /** Lets a module above end what was begun with keys that are revoked; called while modules initialise. */
  onRevoke(listener: RevocationListener): void {
    this.revocationListeners.push(listener);
  }

  /** Lets the module of projects say which ones a caller sees; called while modules initialise. */
  provideProjects(check: ProjectCheck): void {
    this.checkProjects = check;
  }

  /**
   * Makes a key; its text is known here and now only.
   *
   * @throws Forbidden when the caller is no user, or asks for more than they may do.
   * @throws Invalid at a project that they do not see.
   * @throws Conflict when they have too many.
   */
  async create(
    caller: Principal,
    { name, role, access, project_ids, expires_at = new Date(Date.now() + LIFETIME_MS) }: ApiKeyCreateRequest,
  ): Promise<ApiKeyCreateResponse> {
    const { company_id, user_id, kind, isCompanyLevel } = caller;
    if (kind !== 'user' || user_id === null) throw new Forbidden('user_required', 'Only users create API keys');
    if (role === 'company' && !isCompanyLevel)
      throw new Forbidden('key_above_creator', 'A key cannot be above its creator');
    const projects = project_ids == null ? null : [...new Set(project_ids.map((id) => id.toLowerCase()))];
    await this.assertSeen(caller, project_ids ?? []);
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
          throw new Conflict('too_many_api_keys', `A user has at most ${MAX_KEYS} valid API keys; revoke one first`);
        }
        await apiKeys.insert(row);
        return ApiKeyCreateResponse.created({ row, key });
      });
    });
  }

  /** Keys within the caller's reach that were not revoked, newest first. */
  async list(caller: Principal, page: WalkQuery): Promise<Page<ApiKey>> {
    return await this.apiKeys.page(caller, page);
  }

  /** Ends a key for good. @throws NotFound also for a key out of the caller's reach. */
  async revoke(caller: Principal, id: string): Promise<void> {
    const keyId = parseId(id, 'API key');
    await this.database.transaction(async (tx) => {
      if (!(await tx.withRepository(this.apiKeys).revoke(caller, keyId))) throw new NotFound('API key');
      for (const listener of this.revocationListeners) await listener(tx, keyId);
    });
    this.revocations.send(keyId);
  }

  /** What may be done for a key in projects: what its creator may, within its limits. */
  async rightsOf(api_key_id: string): Promise<ProjectRights> {
    return toRights(await this.apiKeys.limitsOf(api_key_id));
  }

  /** @throws Invalid */
  private async assertSeen(caller: Principal, project_ids: readonly string[]): Promise<void> {
    const unseen = project_ids.length === 0 ? [] : await this.checkProjects(caller, project_ids);
    if (unseen.length === 0) return;
    throw new Invalid(
      unseen.map((index) =>
        invalidValue(['body', 'project_ids', index], 'there is no such project', project_ids[index]),
      ),
    );
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
      ...toRights(found),
      api_key_id: id,
      api_key_name: name,
      api_key_prefix: prefix,
      expires_at,
    });
  }
}

/** Whether its creator is company-level is looked at anew whenever a project is looked for. */
const toRights = ({ role, created_by: person_id, access, project_ids }: KeyLimits): ProjectRights => ({
  person_id,
  sees_all: role === 'company' ? null : false,
  access,
  project_ids,
});
