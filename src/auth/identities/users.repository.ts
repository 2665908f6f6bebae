import { EntityRepository } from '../../database/entity-repository.js';
import { type TokenUser, User } from './user.entity.js';

export class UsersRepository extends EntityRepository(User) {
  /** Whether the stored user matches the token or comes from a later token. */
  async isUpToDate(user: TokenUser): Promise<boolean> {
    const rows: unknown[] = await this.query(
      `SELECT 1 FROM users
        WHERE company_id = $1 AND id = $2
          AND (token_issued_at > $7
               OR (display_name, email, avatar_url, role, token_issued_at)
                  IS NOT DISTINCT FROM ($3::text, $4::text, $5::text, $6::text, $7::timestamptz(3)))`,
      parametersOf(user),
    );
    return rows.length > 0;
  }

  /** Stores a user as described by a token, unless a later token was seen. The company must exist. */
  async store(user: TokenUser): Promise<void> {
    await this.query(
      `INSERT INTO users (company_id, id, display_name, email, avatar_url, role, token_issued_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (company_id, id) DO UPDATE
         SET display_name = excluded.display_name, email = excluded.email, avatar_url = excluded.avatar_url,
             role = excluded.role, token_issued_at = excluded.token_issued_at, updated_at = now()
       WHERE users.token_issued_at <= excluded.token_issued_at`,
      parametersOf(user),
    );
  }

  /** Locks a user until the transaction ends, so that counts of their objects stay valid. */
  async lock(company_id: string, id: string): Promise<void> {
    await this.query('SELECT FROM users WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE', [company_id, id]);
  }
}

const parametersOf = (user: TokenUser): unknown[] => [
  user.company_id,
  user.id,
  user.display_name,
  user.email,
  user.avatar_url,
  user.role,
  user.token_issued_at,
];
