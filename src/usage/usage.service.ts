import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import type { Page } from '../common/listing/page.js';
import { ProjectReader } from '../projects/project-access.js';
import { DAY_MS, divide, HALF_DAY_MS } from './span.js';
import type { Charge } from './usage-entry.entity.js';
import type { DayUsageQuery, UsageQuery } from './usage.dto.js';
import {
  type ApiKeyUsageRow,
  type CountedFor,
  type DayUsageRow,
  type OnlySpenders,
  type ProjectUsageRow,
  UsageRepository,
  type UserUsageRow,
} from './usage.repository.js';

/** Records and lists spend in credits. */
@Injectable()
export class UsageService {
  constructor(
    private readonly database: DatabaseService,
    private readonly usage: UsageRepository,
  ) {}

  /**
   * Charges a piece of work to a user or an API key. Must be called in the transaction that ends the work and adds the same
   * credits to its project. Throws if the source was already charged.
   */
  async record(tx: Tx, charge: Charge): Promise<void> {
    await tx.withRepository(this.usage).record(charge);
  }

  /**
   * Lists users with spend of their own, highest first, ties by id. A member sees their own row, and a company-level caller
   * sees all rows.
   */
  async listByUser(caller: Principal, query: UsageQuery, tx: Tx = this.database.manager): Promise<Page<UserUsageRow>> {
    const { company_id, isCompanyLevel, user_id } = caller;
    const only = isCompanyLevel ? null : { id: user_id };
    return await tx.withRepository(this.usage).page('users', company_id, halfDaysOf(query), query, only);
  }

  /**
   * Lists API keys with spend, including revoked keys, highest first, ties by id. A member sees the keys they created, an API
   * key sees only itself, and a company-level caller sees all keys.
   */
  async listByApiKey(
    caller: Principal,
    query: UsageQuery,
    tx: Tx = this.database.manager,
  ): Promise<Page<ApiKeyUsageRow>> {
    const { company_id, isCompanyLevel, kind, user_id, api_key_id } = caller;
    const own: OnlySpenders = kind === 'api_key' ? { id: api_key_id } : { created_by: user_id };
    const only = isCompanyLevel ? null : own;
    return await tx.withRepository(this.usage).page('api_keys', company_id, halfDaysOf(query), query, only);
  }

  /**
   * Lists projects with spend, highest first, ties by id. A company-level caller sees all spend. Other callers see their own
   * spend in projects that they may see.
   */
  async listByProject(
    caller: Principal,
    query: UsageQuery,
    tx: Tx = this.database.manager,
  ): Promise<Page<ProjectUsageRow>> {
    const { company_id } = caller;
    return await tx.withRepository(this.usage).projects(company_id, daysOf(query), query, countedFor(caller));
  }

  /** Lists days in UTC with spend, by user, project or model, newest first. Counts the same spend as {@link listByProject}. */
  async listByDay(caller: Principal, query: DayUsageQuery, tx: Tx = this.database.manager): Promise<Page<DayUsageRow>> {
    const { company_id } = caller;
    return await tx
      .withRepository(this.usage)
      .days(company_id, query.group_by, daysOf(query), query, countedFor(caller));
  }
}

const halfDaysOf = ({ since, until }: UsageQuery) => divide(HALF_DAY_MS, since, until);
const daysOf = ({ since, until }: UsageQuery) => divide(DAY_MS, since, until);

/** Returns the spend by project and day that a caller may see. */
function countedFor(caller: Principal): CountedFor {
  const { isCompanyLevel, sees_all, user_id, api_key_id } = caller;
  if (isCompanyLevel) return null;
  const reader = ProjectReader.of(caller);
  if (sees_all === true) return { reader, spender: null };
  if (user_id !== null) return { reader, spender: { column: 'user_id', id: user_id } };
  if (api_key_id !== null) return { reader, spender: { column: 'api_key_id', id: api_key_id } };
  throw new Error('Only a user or an API key has spend');
}
