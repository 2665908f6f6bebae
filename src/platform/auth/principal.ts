export type Role = 'member' | 'company';

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

interface ApiKeyIdentity extends Identity {
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
  /** The person acting; null for a key and for the agent, as is everything else about a person. */
  readonly user_id: string | null = null;
  readonly user_name: string | null = null;
  readonly user_email: string | null = null;
  readonly user_avatar_url: string | null = null;
  /** The key acting; null for a person and for the agent. */
  readonly api_key_id: string | null = null;
  readonly api_key_name: string | null = null;
  readonly api_key_prefix: string | null = null;

  private constructor(
    readonly kind: 'user' | 'api_key' | 'agent',
    identity: Identity,
  ) {
    Object.assign(this, identity);
  }

  static user(identity: UserIdentity): Principal {
    return new Principal('user', identity);
  }

  static apiKey(identity: ApiKeyIdentity): Principal {
    return new Principal('api_key', identity);
  }

  /** The agent at work in a company: may do what its tools offer, nothing at company level. */
  static agent(company_id: string): Principal {
    return new Principal('agent', { company_id, role: 'member', expires_at: null });
  }

  get isCompanyLevel(): boolean {
    return this.kind !== 'agent' && this.role === 'company';
  }
}
