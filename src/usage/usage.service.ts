import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/auth/principal.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { Page } from '../platform/listing/page.js';
import { divide } from './span.js';
import { API_KEYS, type SpenderKind, spendPage, USERS, type Visible } from './spend-sql.js';
import type { UsageQuery } from './usage.dto.js';

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

/** What one turn or execution has cost. */
export interface Charge {
  company_id: string;
  project_id: string;
  /** Who is charged: a user, or else an API key. */
  user_id: string | null;
  api_key_id: string | null;
  source_type: 'turn' | 'execution';
  /** The turn or execution; unique, so that it is charged once. */
  source_id: string;
  credits: number;
}

/** The ledger of spend, in credits. */
@Injectable()
export class UsageService {
  constructor(private readonly database: Database) {}

  /**
   * Charges a piece of work to a user or an API key, in the transaction that ends it and adds the same to its project. A
   * source that was charged already is refused.
   */
  async record(tx: Tx, charge: Charge): Promise<void> {
    const { company_id, project_id, user_id, api_key_id, source_type, source_id, credits } = charge;
    await tx.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, credits)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [company_id, project_id, user_id, api_key_id, source_type, source_id, credits],
    );
  }

  /**
   * Users that have spent something themselves, highest spend first; ties by id. A member sees their own row, a
   * company-level caller everyone's.
   */
  async listByUser(caller: Principal, query: UsageQuery, tx: Tx = this.database.manager): Promise<Page<UserUsageRow>> {
    const { isCompanyLevel, user_id } = caller;
    const only: Only | null = isCompanyLevel ? null : { visible: '= $10', who: user_id };
    return await list(tx, USERS, caller.company_id, query, only);
  }

  /**
   * API keys with which something was spent, revoked ones too, highest spend first; ties by id. A member sees those they
   * have created, an API key itself, a company-level caller all.
   */
  async listByApiKey(
    caller: Principal,
    query: UsageQuery,
    tx: Tx = this.database.manager,
  ): Promise<Page<ApiKeyUsageRow>> {
    const { isCompanyLevel, kind, user_id, api_key_id } = caller;
    const own: Only =
      kind === 'api_key'
        ? { visible: '= $10', who: api_key_id }
        : { visible: 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)', who: user_id };
    return await list(tx, API_KEYS, caller.company_id, query, isCompanyLevel ? null : own);
  }
}

/** Shows what belongs to one caller alone; nothing belongs to null. */
interface Only {
  visible: Exclude<Visible, null>;
  who: string | null;
}

async function list<Row extends { id: string }>(
  tx: Tx,
  kind: SpenderKind,
  company_id: string,
  { limit, offset, since, until }: UsageQuery,
  only: Only | null,
): Promise<Page<Row>> {
  const { halfDays, before, after } = divide(since, until);
  const seconds = [...halfDays, ...before, ...after].map((ms) => ms / 1000);
  const rows: ((Row | { id: null }) & { total: number })[] = await tx.query(spendPage(kind, only?.visible ?? null), [
    company_id,
    ...seconds,
    limit,
    offset,
    ...(only === null ? [] : [only.who]),
  ]);
  // A page beyond the end is one row that holds the total alone.
  return {
    rows: rows.filter((row): row is Row & { total: number } => row.id !== null),
    total: rows[0]?.total ?? 0,
  };
}
