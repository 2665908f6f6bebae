import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Role } from './principal.js';

const KNOWN_MS = 60_000;
const KNOWN_USERS = 10_000;

/** What a token says about its user. */
export interface KnownUser {
  company_id: string;
  id: string;
  display_name: string;
  email: string | null;
  avatar_url: string | null;
  role: Role;
  /** Later tokens know better; a token without a time of issue knows least. */
  token_issued_at: Date;
}

/** Companies and users as their tokens describe them. */
@Injectable()
export class IdentitiesService {
  /** What this process has stored lately, by user, so that it need not look whether it is there. */
  private readonly known = new Map<string, { text: string; until: number }>();

  constructor(private readonly database: Database) {}

  /**
   * Stores the company and the user as a token describes them, once for each token, and not when a later one was seen.
   *
   * The role is remembered for the API keys of the user.
   */
  async remember(user: KnownUser): Promise<void> {
    const key = JSON.stringify([user.company_id, user.id]);
    const text = JSON.stringify(user);
    const known = this.known.get(key);
    if (known?.text === text && known.until > performance.now()) return;
    await this.store(user);
    const [oldest] = this.known.keys();
    if (this.known.size >= KNOWN_USERS && oldest !== undefined) this.known.delete(oldest);
    this.known.set(key, { text, until: performance.now() + KNOWN_MS });
  }

  private async store(user: KnownUser): Promise<void> {
    const row = [
      user.company_id,
      user.id,
      user.display_name,
      user.email,
      user.avatar_url,
      user.role,
      user.token_issued_at,
    ];
    const told: unknown[] = await this.database.manager.query(
      `SELECT 1 FROM users
        WHERE company_id = $1 AND id = $2
          AND (token_issued_at > $7
               OR (display_name, email, avatar_url, role, token_issued_at)
                  IS NOT DISTINCT FROM ($3::text, $4::text, $5::text, $6::text, $7::timestamptz(3)))`,
      row,
    );
    if (told.length > 0) return;
    await this.database.transaction(async (tx) => {
      await tx.query('INSERT INTO companies (id) VALUES ($1) ON CONFLICT DO NOTHING', [user.company_id]);
      await tx.query(
        `INSERT INTO users (company_id, id, display_name, email, avatar_url, role, token_issued_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (company_id, id) DO UPDATE
           SET display_name = excluded.display_name, email = excluded.email, avatar_url = excluded.avatar_url,
               role = excluded.role, token_issued_at = excluded.token_issued_at, updated_at = now()
         WHERE users.token_issued_at <= excluded.token_issued_at`,
        row,
      );
    });
  }
}
