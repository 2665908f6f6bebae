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
  /** Null once the project was removed for good. */
  name: string | null;
  credits: number;
}

export interface DayUsageRow {
  /** In UTC, as YYYY-MM-DD. */
  day: string;
  /** Id of the user or project, or name of the model; null of what has none. */
  key: string | null;
  credits: number;
}

/** Whose spend listings by project and day count; null is all of the company's. */
export type CountedFor = {
  /** Spend counts in projects that the reader sees. */
  reader: ProjectReader;
  /** Of one user or API key; null is anybody. */
  spender: { column: 'user_id' | 'api_key_id'; id: string } | null;
} | null;

/** What a listing shows of each kind of spender. */
interface UsageRows {
  users: UserUsageRow;
  api_keys: ApiKeyUsageRow;
}

/** Spenders that a caller may see: one, or the API keys that a user has made; null is nobody. */
export type OnlySpenders = { id: string | null } | { created_by: string | null };

/**
 * The ledger of spend, and the sums of it that listings read: `usage_pending` (entries that are in no sum yet, noted by the
 * ledger's trigger), `usage_spenders` and `usage_months`, and `usage_day_sums`, to which the trigger of `usage_pending` adds
 * what leaves it. Nobody needs a row of these alone, so they have no entities.
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
    model,
    credits,
  }: Charge): Promise<void> {
    await this.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, model, credits)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [company_id, project_id, user_id, api_key_id, source_type, source_id, model, credits],
    );
  }

  /** A page of the company's spenders by what they have spent in a span, highest first, ties by id. `only` null: all. */
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

  /** A page of the company's projects by what was spent in them in a span of days, highest first, ties by id. */
  async projects(
    company_id: string,
    span: DividedSpan,
    page: PageQuery,
    counted: CountedFor,
  ): Promise<Page<ProjectUsageRow>> {
    const statement = projectsPage(shareOf(counted));
    return await this.read('project_id', statement, company_id, span, page, parametersOf(counted));
  }

  /** A page of days by what was spent on them in a span of days, in groups: newest first, then highest first. */
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

  /** Locks the sums until the transaction ends. The statement after it sees what the transaction before has done. */
  async lockSums(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
  }

  /** Takes up to `rows` pending entries of a kind of spenders into the locked sums; answers their number. */
  async rollUp(kind: SpenderKind, rows: number): Promise<number> {
    const [taken]: { rows: number }[] = await this.query(rollUpPage(kind), [rows]);
    return taken?.rows ?? 0;
  }

  /** Rows with the number of all; a page beyond the end is one row that holds it alone, in which `of` is null. */
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

/** The condition of a listing, and its parameter. */
function conditionOf(only: OnlySpenders | null): { visible: Visible; who: (string | null)[] } {
  if (only === null) return { visible: null, who: [] };
  if ('id' in only) return { visible: '= $10', who: [only.id] };
  return {
    visible: 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)',
    who: [only.created_by],
  };
}
