import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { Operation } from '../platform/openapi/operation.js';
import { UsageQuery, UserUsageListResponse } from './usage.dto.js';
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
}
