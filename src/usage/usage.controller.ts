import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { Operation } from '../platform/openapi/operation.js';
import { ApiKeyUsageListResponse, UsageQuery, UserUsageListResponse } from './usage.dto.js';
import { UsageService } from './usage.service.js';

@Controller('usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get('users')
  @Operation({
    tag: 'Usage',
    summary: 'List usage by user',
    description: 'Spend in credits, highest first. A member sees their own row, a company-level caller everyone’s.',
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
      'Spend in credits, highest first; not part of the listing by user. A member sees the keys they created, an ' +
      'API key only itself, a company-level caller all.',
    response: ApiKeyUsageListResponse,
    extension: true,
  })
  async listUsageByApiKey(@Caller() caller: Principal, @Query() query: UsageQuery): Promise<ApiKeyUsageListResponse> {
    return ApiKeyUsageListResponse.from(await this.usage.listByApiKey(caller, query), query);
  }
}
