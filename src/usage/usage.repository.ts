import { EntityRepository } from '../platform/database/entity-repository.js';
import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import type { DividedSpan } from './span.js';
import { type Charge, UsageEntry } from './usage-entry.entity.js';
import { rollUpPage, type SpenderKind, spendPage, type Visible } from './usage.sql.js';

export interface UserUsageRow {
  id: string;
  display_name: string;
  email: string | null;
  credits: number;
}

export interface ApiKeyUsageRow {
  id: string;
  name: string;
  prefix: string;
  credits: number;
}

/** What a listing shows of each kind of spender. */
interface UsageRows {
  users: UserUsageRow;
  api_keys: ApiKeyUsageRow;
}

/** Spenders that a caller may see: one, or the API keys that a user has made; null is nobody. */
export type OnlySpenders = { id: string | null } | { created_by: string | null };

/**
 * The ledger of spend, and the sums of it that listings read: `usage_pending` (entries that are in no sum yet, noted by the
 * ledger's trigger), `usage_spenders` and `usage_months`. Nobody needs a row of these alone, so they have no entities.
 */
export class UsageRepository extends EntityRepository(UsageEntry) {
  /** Adds an entry. @throws QueryFailedError when its source was charged already */
  async record({
    company_id,
    project_id,
    user_id,
    api_key_id,
    source_type,
    source_id,
    credits,
  }: Charge): Promise<void> {
    await this.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, credits)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [company_id, project_id, user_id, api_key_id, source_type, source_id, credits],
    );
  }

  /** A page of the company's spenders by what they have spent in a span, highest first, ties by id. `only` null: all. */
  async page<Kind extends SpenderKind>(
    kind: Kind,
    company_id: string,
    { halfDays, before, after }: DividedSpan,
    { limit, offset }: PageQuery,
    only: OnlySpenders | null,
  ): Promise<Page<UsageRows[Kind]>> {
    type Row = UsageRows[Kind];
    const seconds = [...halfDays, ...before, ...after].map((ms) => ms / 1000);
    const { visible, who } = conditionOf(only);
    const rows: ((Row | { id: null }) & { total: number })[] = await this.query(spendPage(kind, visible), [
      company_id,
      ...seconds,
      limit,
      offset,
      ...who,
    ]);
    // A page beyond the end is one row that holds the total alone.
    return {
      rows: rows.filter((row): row is Row & { total: number } => row.id !== null),
      total: rows[0]?.total ?? 0,
    };
  }

  /** Locks the sums until the transaction ends. The statement after it sees what the transaction before has done. */
  async lockSums(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
  }

  /** Takes up to `rows` pending entries of a kind of spenders into the locked sums; answers their number. */
  async rollUp(kind: SpenderKind, rows: number): Promise<number> {
    const [taken]: { rows: number }[] = await this.query(rollUpPage(kind), [rows]);
    return taken?.rows ?? 0;
  }
}

/** The condition of a listing, and its parameter. */
function conditionOf(only: OnlySpenders | null): { visible: Visible; who: (string | null)[] } {
  if (only === null) return { visible: null, who: [] };
  if ('id' in only) return { visible: '= $10', who: [only.id] };
  return {
    visible: 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)',
    who: [only.created_by],
  };
}
