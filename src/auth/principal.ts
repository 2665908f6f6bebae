import type { KeyedRequest, Proof } from '../common/idempotency/keyed-request.js';
import type { Tx } from '../database/database.service.js';

export type Role = 'member' | 'company';

/** What a credential is for. */
export const ACCESSES = ['read', 'write'] as const;
export type Access = (typeof ACCESSES)[number];

/** What somebody may do in projects, as far as the credential decides it. */
export interface ProjectRights {
  /** The person whose rights count: of an API key who has made it, of the agent who has asked it. */
  person_id: string;
  /** Whether it sees every project of the company; null: if the person is company-level at that moment. */
  sees_all: boolean | null;
  access: Access;
  /** The projects that it may see at most; null: all that the person sees. */
  project_ids: readonly string[] | null;
}

interface Identity {
  company_id: string;
  role: Role;
  /** When the credential behind the request ends. */
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
 * Who a piece of work is done for: a `user`, an `api_key`, or the `agent`.
 *
 * An agent never has company-level rights, whoever started its turn, and no request comes from one: it has no credential.
 */
export class Principal {
  readonly company_id!: string;
  readonly role!: Role;
  readonly expires_at!: Date | null;
  /** As in {@link ProjectRights}, as are the three after it. */
  readonly person_id!: string;
  readonly sees_all!: boolean | null;
  readonly access!: Access;
  readonly project_ids!: readonly string[] | null;
  /** The person acting; null for a key and for the agent, as is everything else about a person. */
  readonly user_id: string | null = null;
  readonly user_name: string | null = null;
  readonly user_email: string | null = null;
  readonly user_avatar_url: string | null = null;
  /** The key acting; null for a person and for the agent. */
  readonly api_key_id: string | null = null;
  readonly api_key_name: string | null = null;
  readonly api_key_prefix: string | null = null;
  /** The request that is served, if it has an `Idempotency-Key`. */
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

  /** The agent at work for somebody: may do what its tools offer where they may do it, nothing at company level. */
  static agent(company_id: string, asker: ProjectRights): Principal {
    return new Principal('agent', { company_id, role: 'member', expires_at: null, ...asker });
  }

  /** Not so a key that is limited to some projects: what is beside them is not its business. */
  get isCompanyLevel(): boolean {
    return this.kind !== 'agent' && this.role === 'company' && this.project_ids === null;
  }

  /** The same caller in a request with an `Idempotency-Key`. */
  inRequest(keyed: KeyedRequest): Principal {
    return Object.assign(Object.create(Principal.prototype) as Principal, this, { keyed });
  }

  /**
   * Does `work`, whose result is the body of the answer. A request with an `Idempotency-Key` takes effect once. Later requests with
   * that key get the first body.
   *
   * A service calls it in the transaction of the effect, once the rights of the caller are proven as things are now, and before any rule
   * that the first request has changed.
   *
   * @param proof needed if nothing before has proven that the caller may read the earlier answer
   * @throws AnsweredBefore
   * @throws Conflict while the first request is under way, or for another body
   */
  async once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body> {
    return this.keyed === undefined ? await work() : await this.keyed.once(tx, work, proof);
  }
}
