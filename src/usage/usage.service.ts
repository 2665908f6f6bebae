import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/auth/principal.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { Page } from '../platform/listing/page.js';
import { LedgerEntry } from './ledger-entry.entity.js';
import type { UsageQuery } from './usage.dto.js';

export interface UserUsageRow {
  user_id: string;
  display_name: string;
  email: string | null;
  credits: number;
}

/** The ledger of spend, in credits. */
@Injectable()
export class UsageService {
  constructor(private readonly database: Database) {}

  /** Charges a piece of work, in the transaction that ends it. A source that was charged already is refused. */
  async record(tx: Tx, entry: Omit<LedgerEntry, 'id' | 'created_at'>): Promise<void> {
    await tx.insert(LedgerEntry, entry);
  }

  /**
   * Spend by user, highest first; ties by user id. A member sees their own row, a company-level caller everyone's.
   */
  async listByUser(caller: Principal, { limit, offset, since, until }: UsageQuery): Promise<Page<UserUsageRow>> {
    const own = caller.isCompanyLevel ? null : caller.user_id;
    const rows: ((UserUsageRow | { user_id: null }) & { total: number })[] = await this.database.manager.query(
      `WITH spend AS (
         SELECT user_id, sum(credits) AS credits
           FROM usage_ledger
          WHERE company_id = $1
            AND ($2::text IS NULL OR user_id = $2)
            AND ($3::timestamptz IS NULL OR created_at >= $3)
            AND ($4::timestamptz IS NULL OR created_at < $4)
          GROUP BY user_id
       ), page AS (
         SELECT * FROM spend ORDER BY credits DESC, user_id LIMIT $5 OFFSET $6
       )
       SELECT page.user_id, u.display_name, u.email, page.credits, counted.total
         FROM (SELECT count(*) AS total FROM spend) counted
         LEFT JOIN page ON true
         LEFT JOIN users u ON u.company_id = $1 AND u.id = page.user_id
        ORDER BY page.credits DESC, page.user_id`,
      [caller.company_id, own, since ?? null, until ?? null, limit, offset],
    );
    // A page beyond the end is one row that holds the total alone.
    return {
      rows: rows.filter((row): row is UserUsageRow & { total: number } => row.user_id !== null),
      total: rows[0]?.total ?? 0,
    };
  }
}
