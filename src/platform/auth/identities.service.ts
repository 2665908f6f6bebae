import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** What a credential says about its user. */
export interface KnownUser {
  company_id: string;
  id: string;
  display_name: string;
  email: string | null;
  avatar_url: string | null;
}

/** Companies and users as their tokens describe them. */
@Injectable()
export class IdentitiesService {
  constructor(private readonly database: Database) {}

  /** Stores the company and the user; writes nothing when both are known as given. */
  async remember(user: KnownUser): Promise<void> {
    const row = [user.company_id, user.id, user.display_name, user.email, user.avatar_url];
    const known: unknown[] = await this.database.manager.query(
      `SELECT 1 FROM users
        WHERE company_id = $1 AND id = $2
          AND (display_name, email, avatar_url) IS NOT DISTINCT FROM ($3::text, $4::text, $5::text)`,
      row,
    );
    if (known.length > 0) return;
    await this.database.transaction(async (tx) => {
      await tx.query('INSERT INTO companies (id) VALUES ($1) ON CONFLICT DO NOTHING', [user.company_id]);
      await tx.query(
        `INSERT INTO users (company_id, id, display_name, email, avatar_url) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (company_id, id) DO UPDATE
           SET display_name = excluded.display_name, email = excluded.email, avatar_url = excluded.avatar_url, updated_at = now()`,
        row,
      );
    });
  }
}
