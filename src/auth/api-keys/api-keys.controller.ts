import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { WalkQuery } from '../../common/listing/walk.query.js';
import { Operation } from '../../common/openapi/operation.js';
import { Caller, ReadAccess } from '../decorators.js';
import { Principal } from '../principal.js';
import { ApiKeyCreateRequest, ApiKeyCreateResponse, ApiKeyListResponse } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @Operation({
    tag: 'Identity',
    summary: 'Create API key',
    description: 'API keys cannot use this operation. Only company-level users can create company-level keys.',
    example: { name: 'Nightly import' },
    status: 201,
    response: ApiKeyCreateResponse,
    errors: ['key_above_creator', 'too_many_api_keys', 'user_required'],
    idempotent: true,
    extension: true,
  })
  async createApiKey(@Caller() caller: Principal, @Body() body: ApiKeyCreateRequest): Promise<ApiKeyCreateResponse> {
    return await this.apiKeys.create(caller, body);
  }

  @Get()
  @Operation({
    tag: 'Identity',
    summary: 'List API keys',
    description:
      'Returns unrevoked keys, newest first. A member sees their own keys, and a company-level caller sees all keys.',
    response: ApiKeyListResponse,
    extension: true,
  })
  async listApiKeys(@Caller() caller: Principal, @Query() query: WalkQuery): Promise<ApiKeyListResponse> {
    return ApiKeyListResponse.from(await this.apiKeys.list(caller, query), query);
  }

  // Any key may revoke itself, even without write access.
  @Delete(':api_key_id')
  @ReadAccess()
  @Operation({
    tag: 'Identity',
    summary: 'Revoke API key',
    description:
      'Permanently revokes the key and closes its open streams. A member can revoke their own keys, a company-level ' +
      'caller can revoke any key, and an API key can revoke itself.',
    status: 204,
    extension: true,
  })
  async revokeApiKey(@Caller() caller: Principal, @Param('api_key_id') apiKeyId: string): Promise<void> {
    await this.apiKeys.revoke(caller, apiKeyId);
  }
}
