import type { KeyedRequest, Proof } from '../common/idempotency/keyed-request.js';
import type { Tx } from '../database/database.service.js';

export type Role = 'member' | 'company';

/** Access levels of a credential. */
export const ACCESSES = ['read', 'write'] as const;
export type Access = (typeof ACCESSES)[number];

/** Rights in projects, as far as the credential determines them. */
export interface ProjectRights {
  /** Person whose rights apply: the creator of an API key, or the user who asked the agent. */
  person_id: string;
  /** Whether all of the company's projects are accessible. Null if that depends on the person's current role. */
  sees_all: boolean | null;
  access: Access;
  /** Accessible projects. Null for all of the person's projects. */
  project_ids: readonly string[] | null;
}

interface Identity {
  company_id: string;
  role: Role;
  /** Expiry time of the request's credential. */
  expires_at: Date | null;
}

interface UserIdentity extends Identity {
  user_id: string;
  user_name: string;
  user_email: string | null;
  user_avatar_url: string | null;
}

interface ApiKeyIdentity extends Identity, ProjectRights {
  api_key_id: string;
  api_key_name: string;
  /** Non-secret part of the key. */
  api_key_prefix: string;
}

/**
 * Party on whose behalf work is done: a `user`, an `api_key`, or the `agent`.
 *
 * An agent never has company-level rights, regardless of who started its turn. It has no credential and therefore sends no
 * requests.
 */
export class Principal {
  readonly company_id!: string;
  readonly role!: Role;
  readonly expires_at!: Date | null;
  /** This field and the next three are the {@link ProjectRights} of the caller. */
  readonly person_id!: string;
  readonly sees_all!: boolean | null;
  readonly access!: Access;
  readonly project_ids!: readonly string[] | null;
  /** Acting user. This and all other fields about the user are null for a key and for the agent. */
  readonly user_id: string | null = null;
  readonly user_name: string | null = null;
  readonly user_email: string | null = null;
  readonly user_avatar_url: string | null = null;
  /** Acting API key. Null for a user and for the agent. */
  readonly api_key_id: string | null = null;
  readonly api_key_name: string | null = null;
  readonly api_key_prefix: string | null = null;
  /** Current request, if it has an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | undefined = undefined;

  private constructor(
    readonly kind: 'user' | 'api_key' | 'agent',
    identity: Identity & ProjectRights,
  ) {
    Object.assign(this, identity);
  }

  static user(identity: UserIdentity): Principal {
    const { user_id: person_id, role } = identity;
    const rights: ProjectRights = { person_id, sees_all: role === 'company', access: 'write', project_ids: null };
    return new Principal('user', { ...identity, ...rights });
  }

  static apiKey(identity: ApiKeyIdentity): Principal {
    return new Principal('api_key', identity);
  }

  /**
   * Creates the principal for an agent that works for an asker. Its tools have the asker's rights in projects, but no
   * company-level rights.
   */
  static agent(company_id: string, asker: ProjectRights): Principal {
    return new Principal('agent', { company_id, role: 'member', expires_at: null, ...asker });
  }

  /**
   * Whether the caller has company-level rights. A key limited to some projects never has them, because company data is out of
   * its scope.
   */
  get isCompanyLevel(): boolean {
    return this.kind !== 'agent' && this.role === 'company' && this.project_ids === null;
  }

  /** Returns the same caller for a request with an `Idempotency-Key`. */
  inRequest(keyed: KeyedRequest): Principal {
    return Object.assign(Object.create(Principal.prototype) as Principal, this, { keyed });
  }

  /**
   * Runs `work`, whose result is the response body. A request with an `Idempotency-Key` takes effect only once. Later requests
   * with that key get the body of the first response.
   *
   * Services call it in the transaction of the effect, after checking the caller's current rights. They must call it before
   * they check any rule whose result the first request may have changed.
   *
   * @param proof required unless an earlier check has proven that the caller may read the earlier response
   * @throws AlreadyAnswered
   * @throws Conflict if the first request is still in progress or had another body
   */
  async once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body> {
    return this.keyed === undefined ? await work() : await this.keyed.once(tx, work, proof);
  }
}
