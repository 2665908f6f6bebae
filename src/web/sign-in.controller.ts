import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../platform/auth/decorators.js';
import { type DevelopmentTokenPair, DevelopmentTokens } from './development-tokens.js';

/** For the page alone, on development starts; outside of `/api/v1` and of the OpenAPI document. */
@Public()
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(private readonly tokens: DevelopmentTokens) {}

  @Post()
  @HttpCode(200)
  signIn(@Req() request: Request): DevelopmentTokenPair {
    return this.tokens.give(request);
  }
}
