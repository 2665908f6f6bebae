export type Role = 'member' | 'company';

interface Identity {
  company_id: string;
  role: Role;
  /** The person acting; null for a key and for the agent. */
  user_id: string | null;
  user_name: string | null;
  user_email: string | null;
  user_avatar_url: string | null;
  /** When the credential behind the request ends. */
  expires_at: Date | null;
}

/**
 * Who a piece of work is done for.
 *
 * `user` and `agent` today; an agent never has company-level rights, whoever started its turn.
 */
export class Principal implements Identity {
  readonly company_id!: string;
  readonly role!: Role;
  readonly user_id!: string | null;
  readonly user_name!: string | null;
  readonly user_email!: string | null;
  readonly user_avatar_url!: string | null;
  readonly expires_at!: Date | null;

  private constructor(
    readonly kind: 'user' | 'agent',
    identity: Identity,
  ) {
    Object.assign(this, identity);
  }

  static user(identity: Identity & { user_id: string; user_name: string }): Principal {
    return new Principal('user', identity);
  }

  /** The agent at work in a company: may do what its tools offer, nothing at company level. */
  static agent(company_id: string): Principal {
    return new Principal('agent', {
      company_id,
      role: 'member',
      user_id: null,
      user_name: null,
      user_email: null,
      user_avatar_url: null,
      expires_at: null,
    });
  }

  get isCompanyLevel(): boolean {
    return this.kind !== 'agent' && this.role === 'company';
  }
}
