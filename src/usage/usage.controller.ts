import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import type { CsvText } from '../common/http/csv-text.js';
import { WantsCsv } from '../common/http/wants-csv.js';
import { Operation } from '../common/openapi/operation.js';
import {
  ApiKeyUsageListResponse,
  DayUsageListResponse,
  DayUsageQuery,
  ProjectUsageListResponse,
  UsageQuery,
  UserUsageListResponse,
} from './usage.dto.js';
import { UsageService } from './usage.service.js';

@Controller('usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get('users')
  @Operation({
    tag: 'Usage',
    summary: 'List usage by user',
    description:
      'Returns spend in credits, highest first. A member sees their own row, and a company-level caller sees all rows.',
    response: UserUsageListResponse,
  })
  async listUsageByUser(@Caller() caller: Principal, @Query() query: UsageQuery): Promise<UserUsageListResponse> {
    return UserUsageListResponse.from(await this.usage.listByUser(caller, query), query);
  }

  @Get('api-keys')
  @Operation({
    tag: 'Usage',
    summary: 'List usage by API key',
    description:
      'Returns spend in credits, highest first. The listing by user does not include this spend. A member sees the keys ' +
      'that they created, an API key sees only itself, and a company-level caller sees all keys.',
    response: ApiKeyUsageListResponse,
    extension: true,
  })
  async listUsageByApiKey(@Caller() caller: Principal, @Query() query: UsageQuery): Promise<ApiKeyUsageListResponse> {
    return ApiKeyUsageListResponse.from(await this.usage.listByApiKey(caller, query), query);
  }

  @Get('projects')
  @Operation({
    tag: 'Usage',
    summary: 'List usage by project',
    description:
      'Returns spend in credits, highest first. A company-level caller sees all spend. Other callers see only their own ' +
      'spend in projects that they can see. With `Accept: text/csv`, returns one line per project.',
    response: ProjectUsageListResponse,
    csv: true,
    extension: true,
  })
  async listUsageByProject(
    @Caller() caller: Principal,
    @Query() query: UsageQuery,
    @WantsCsv() wantsCsv: boolean,
  ): Promise<ProjectUsageListResponse | CsvText> {
    const listed = ProjectUsageListResponse.from(await this.usage.listByProject(caller, query), query);
    return wantsCsv ? ProjectUsageListResponse.csv(listed) : listed;
  }

  @Get('days')
  @Operation({
    tag: 'Usage',
    summary: 'List usage by day',
    description:
      'Returns spend in credits per UTC day, by user, project or model: newest day first, then highest spend first. ' +
      'Callers see the same spend as in the list of usage by project. With `Accept: text/csv`, returns one CSV line per ' +
      'day and user, project or model.',
    response: DayUsageListResponse,
    csv: true,
    extension: true,
  })
  async listUsageByDay(
    @Caller() caller: Principal,
    @Query() query: DayUsageQuery,
    @WantsCsv() wantsCsv: boolean,
  ): Promise<DayUsageListResponse | CsvText> {
    const listed = DayUsageListResponse.from(await this.usage.listByDay(caller, query), query);
    return wantsCsv ? DayUsageListResponse.csv(listed, query) : listed;
  }
}
