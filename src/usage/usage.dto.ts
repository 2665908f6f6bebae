import type { Page } from '../platform/listing/page.js';
import { PageQuery } from '../platform/listing/page.query.js';
import { PageResponse } from '../platform/listing/page.response.js';
import {
  DateTimeField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringField,
} from '../platform/validation/fields.js';
import type { ApiKeyUsageRow, UserUsageRow } from './usage.repository.js';

/** Page and time span of a usage listing. */
export class UsageQuery extends PageQuery {
  @DateTimeField({ optional: true, extension: true, description: 'Count spend from this moment on' })
  since?: Date;

  @DateTimeField({ optional: true, extension: true, description: 'Count spend before this moment' })
  until?: Date;
}

/** Where a page of spend is, and the time span that it counts. */
export class UsagePageResponse extends PageResponse {
  @DateTimeField({ optional: true, description: 'Start of the requested period; absent if none' })
  since?: Date;

  @DateTimeField({ optional: true, description: 'End of the requested period; absent if none' })
  until?: Date;

  static at({ limit, offset, since, until }: UsageQuery, total: number): UsagePageResponse {
    return { limit, offset, total, ...(since && { since }), ...(until && { until }) };
  }
}

export class UsageTotals {
  @NumberField({ description: 'Credits spent', example: 1.25 })
  credits!: number;
}

/** Spend of one user. */
export class UserUsageResponse {
  @StringField()
  user_id!: string;

  @StringField()
  display_name!: string;

  @StringField({ nullable: true })
  email!: string | null;

  @ObjectField(() => UsageTotals)
  totals!: UsageTotals;

  static from({ id, display_name, email, credits }: UserUsageRow): UserUsageResponse {
    return { user_id: id, display_name, email, totals: { credits } };
  }
}

/** Users by spend, highest first. */
export class UserUsageListResponse extends UsagePageResponse {
  @ObjectArrayField(() => UserUsageResponse)
  users!: UserUsageResponse[];

  static from({ rows, total }: Page<UserUsageRow>, query: UsageQuery): UserUsageListResponse {
    return { users: rows.map((row) => UserUsageResponse.from(row)), ...UsagePageResponse.at(query, total) };
  }
}

/** Spend of one API key, revoked or not. */
export class ApiKeyUsageResponse {
  @StringField()
  api_key_id!: string;

  @StringField()
  name!: string;

  @StringField({ description: 'Non-secret part of the key' })
  prefix!: string;

  @ObjectField(() => UsageTotals)
  totals!: UsageTotals;

  static from({ id, name, prefix, credits }: ApiKeyUsageRow): ApiKeyUsageResponse {
    return { api_key_id: id, name, prefix, totals: { credits } };
  }
}

/** API keys by spend, highest first. */
export class ApiKeyUsageListResponse extends UsagePageResponse {
  @ObjectArrayField(() => ApiKeyUsageResponse)
  api_keys!: ApiKeyUsageResponse[];

  static from({ rows, total }: Page<ApiKeyUsageRow>, query: UsageQuery): ApiKeyUsageListResponse {
    return { api_keys: rows.map((row) => ApiKeyUsageResponse.from(row)), ...UsagePageResponse.at(query, total) };
  }
}
