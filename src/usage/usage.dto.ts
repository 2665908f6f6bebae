import { CsvText } from '../common/http/csv-text.js';
import type { Page } from '../common/listing/page.js';
import { PageQuery } from '../common/listing/page.query.js';
import { PageResponse } from '../common/listing/page.response.js';
import {
  DateTimeField,
  EnumField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringField,
} from '../common/validation/fields.js';
import type { ApiKeyUsageRow, DayGroup, DayUsageRow, ProjectUsageRow, UserUsageRow } from './usage.repository.js';

/** Page and time span for a usage listing. */
export class UsageQuery extends PageQuery {
  @DateTimeField({ optional: true, extension: true, description: 'Count spend from this moment on' })
  since?: Date;

  @DateTimeField({ optional: true, extension: true, description: 'Count spend before this moment' })
  until?: Date;
}

/** Position of a usage page, and its time span. */
export class UsagePageResponse extends PageResponse {
  @DateTimeField({ optional: true, description: 'Start of the requested period; absent if not requested' })
  since?: Date;

  @DateTimeField({ optional: true, description: 'End of the requested period; absent if not requested' })
  until?: Date;

  static at({ limit, offset, since, until }: UsageQuery, total: number): UsagePageResponse {
    return { limit, offset, total, ...(since && { since }), ...(until && { until }) };
  }
}

export class UsageTotals {
  @NumberField({ description: 'Credits spent', example: 1.25 })
  credits!: number;
}

/** A user's spend. */
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

/** Spend of an API key, revoked or not. */
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

/** Property name of each group. */
const GROUP_PROPERTIES = { user: 'user_id', project: 'project_id', model: 'model' } as const;
const DAY_GROUPS = ['user', 'project', 'model'] as const satisfies DayGroup[];

/** Page, time span and grouping for the usage by day. */
export class DayUsageQuery extends UsageQuery {
  @EnumField(DAY_GROUPS, { default: 'user', description: 'Grouping within a day' })
  group_by!: DayGroup;
}

/** Spend in a project. */
export class ProjectUsageResponse {
  @StringField()
  project_id!: string;

  @StringField({ nullable: true, description: 'Null if the project was permanently removed' })
  name!: string | null;

  @ObjectField(() => UsageTotals)
  totals!: UsageTotals;

  static from({ project_id, name, credits }: ProjectUsageRow): ProjectUsageResponse {
    return { project_id, name, totals: { credits } };
  }
}

/** Projects by spend, highest first. */
export class ProjectUsageListResponse extends UsagePageResponse {
  @ObjectArrayField(() => ProjectUsageResponse)
  projects!: ProjectUsageResponse[];

  static from({ rows, total }: Page<ProjectUsageRow>, query: UsageQuery): ProjectUsageListResponse {
    return { projects: rows.map((row) => ProjectUsageResponse.from(row)), ...UsagePageResponse.at(query, total) };
  }

  /** Returns a line for each project. */
  static csv({ projects }: ProjectUsageListResponse): CsvText {
    const lines = projects.map(({ project_id, name, totals }) => [project_id, name, totals.credits]);
    return new CsvText([['project_id', 'name', 'credits'], ...lines]);
  }
}

/** Spend on one day by a user, in a project or with a model. */
export class DayUsageResponse {
  @StringField({ description: 'Day in UTC', example: '2026-03-01' })
  day!: string;

  @StringField({
    optional: true,
    nullable: true,
    description: 'Present with `group_by=user`; null for the combined spend of all API keys',
  })
  user_id?: string | null;

  @StringField({ optional: true, description: 'Present with `group_by=project`' })
  project_id?: string;

  @StringField({
    optional: true,
    nullable: true,
    description:
      'Present with `group_by=model`: the language model that answered, `guide` for the rule-based agent, `highs` ' +
      'for solves; null for charges from before models were recorded',
    example: 'guide',
  })
  model?: string | null;

  @ObjectField(() => UsageTotals)
  totals!: UsageTotals;

  static from({ day, key, credits }: DayUsageRow, group: DayGroup): DayUsageResponse {
    return { day, [GROUP_PROPERTIES[group]]: key, totals: { credits } };
  }
}

/** Daily spend, newest day first, and the highest spend first within a day. */
export class DayUsageListResponse extends UsagePageResponse {
  @ObjectArrayField(() => DayUsageResponse)
  days!: DayUsageResponse[];

  static from({ rows, total }: Page<DayUsageRow>, query: DayUsageQuery): DayUsageListResponse {
    const days = rows.map((row) => DayUsageResponse.from(row, query.group_by));
    return { days, ...UsagePageResponse.at(query, total) };
  }

  /** Returns a line for each day and group. */
  static csv({ days }: DayUsageListResponse, { group_by }: DayUsageQuery): CsvText {
    const name = GROUP_PROPERTIES[group_by];
    return new CsvText([
      ['day', name, 'credits'],
      ...days.map(({ day, totals, ...of }) => [day, of[name] ?? null, totals.credits]),
    ]);
  }
}
