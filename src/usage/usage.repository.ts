import { EntityRepository } from '../database/entity-repository.js';
import type { Page } from '../common/listing/page.js';
import type { PageQuery } from '../common/listing/page.query.js';
import type { CallerParameter, ProjectReader } from '../projects/project-access.js';
import type { DividedSpan } from './span.js';
import { daysPage, type DayGroup, projectsPage, type Share } from './spend-pages.sql.js';
import { type Charge, UsageEntry } from './usage-entry.entity.js';
import { rollUpPage, type SpenderKind, spendPage, type Visible } from './usage.sql.js';

export type { DayGroup } from './spend-pages.sql.js';

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

export interface ProjectUsageRow {
  project_id: string;
  /** Null after the project was purged. */
  name: string | null;
  credits: number;
}

export interface DayUsageRow {
  /** In UTC, as YYYY-MM-DD. */
  day: string;
  /** Id of the user or project, or name of the model. Null for spend without a user, project or model. */
  key: string | null;
  credits: number;
}

/** Restriction on listings by project and day. Null for all of the company's spend. */
export type CountedFor = {
  /** Only spend in projects that the reader can see. */
  reader: ProjectReader;
  /** Only spend by this user or API key. Null for all spenders. */
  spender: { column: 'user_id' | 'api_key_id'; id: string } | null;
} | null;

/** Row type of a usage listing, by kind of spender. */
interface UsageRows {
  users: UserUsageRow;
  api_keys: ApiKeyUsageRow;
}

/** Spenders that a caller may see: a single spender, or the API keys that a user created. A null id matches no spender. */
export type OnlySpenders = { id: string | null } | { created_by: string | null };

/**
 * Stores the spend ledger and its sums, from which listings are read. `usage_pending` contains entries that are not in the sums
 * yet, added by the ledger's trigger. The sums are `usage_spenders`, `usage_months` and `usage_day_sums`. A trigger on
 * `usage_pending` adds its deleted rows to `usage_day_sums`. Rows of these tables are never used individually, so they have no
 * entities.
 */
export class UsageRepository extends EntityRepository(UsageEntry) {
  /**
   * Adds an entry.
   * @throws QueryFailedError if its source was already charged
   */
  async record({
    company_id,
    project_id,
    user_id,
    api_key_id,
    source_type,
    source_id,
    model,
    credits,
  }: Charge): Promise<void> {
    await this.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, model, credits)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [company_id, project_id, user_id, api_key_id, source_type, source_id, model, credits],
    );
  }

  /**
   * Returns a page of the company's spenders by their spend in a span, highest first, ties by id. Returns all spenders if `only`
   * is null.
   */
  async page<Kind extends SpenderKind>(
    kind: Kind,
    company_id: string,
    span: DividedSpan,
    page: PageQuery,
    only: OnlySpenders | null,
  ): Promise<Page<UsageRows[Kind]>> {
    const { visible, who } = conditionOf(only);
    return await this.read('id', spendPage(kind, visible), company_id, span, page, who);
  }

  /** Returns a page of the company's projects by their spend in a span of days, highest first, ties by id. */
  async projects(
    company_id: string,
    span: DividedSpan,
    page: PageQuery,
    counted: CountedFor,
  ): Promise<Page<ProjectUsageRow>> {
    const statement = projectsPage(shareOf(counted));
    return await this.read('project_id', statement, company_id, span, page, parametersOf(counted));
  }

  /** Returns a page of the days in a span, with the spend per group. The newest days come first, then the highest spend. */
  async days(
    company_id: string,
    group: DayGroup,
    span: DividedSpan,
    page: PageQuery,
    counted: CountedFor,
  ): Promise<Page<DayUsageRow>> {
    const statement = daysPage(group, shareOf(counted));
    return await this.read('day', statement, company_id, span, page, parametersOf(counted));
  }

  /** Locks the sums until the transaction ends. The next statement sees the changes made by the previous holder of the lock. */
  async lockSums(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
  }

  /** Moves up to `rows` pending entries of a kind of spender into the locked sums. Returns their number. */
  async rollUp(kind: SpenderKind, rows: number): Promise<number> {
    const [row]: { rows: number }[] = await this.query(rollUpPage(kind), [rows]);
    return row?.rows ?? 0;
  }

  /** Returns rows with the total number of rows. A page past the end is a single row with only the total, where `of` is null. */
  private async read<Row extends object>(
    of: keyof Row,
    statement: string,
    company_id: string,
    { whole, before, after }: DividedSpan,
    { limit, offset }: PageQuery,
    who: (string | CallerParameter | null)[],
  ): Promise<Page<Row>> {
    const seconds = [...whole, ...before, ...after].map((ms) => ms / 1000);
    const rows: (Row & { total: number })[] = await this.query(statement, [
      company_id,
      ...seconds,
      limit,
      offset,
      ...who,
    ]);
    return { rows: rows.filter((row) => row[of] !== null), total: rows[0]?.total ?? 0 };
  }
}

const shareOf = (counted: CountedFor): Share | null => counted && { own: counted.spender?.column ?? null };

const parametersOf = (counted: CountedFor): (string | CallerParameter)[] =>
  counted === null ? [] : [counted.reader.parameter, ...(counted.spender === null ? [] : [counted.spender.id])];

/** Returns the condition for a listing, with its parameter. */
function conditionOf(only: OnlySpenders | null): { visible: Visible; who: (string | null)[] } {
  if (only === null) return { visible: null, who: [] };
  if ('id' in only) return { visible: '= $10', who: [only.id] };
  return {
    visible: 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)',
    who: [only.created_by],
  };
}
