import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config, type PageSignIn } from '../config/config.js';
import { Public } from '../auth/decorators.js';
import { type DevelopmentTokenPair, DevelopmentTokensService } from './development-tokens.service.js';

/** How the page can sign in, beside a token that somebody pastes. */
interface SignInWays {
  /** Whether it may ask for development tokens; they are given to this computer alone. */
  development: boolean;
  /** The provider where people sign in; null where there is none. */
  provider: PageSignIn | null;
}

/** For the page alone; outside of `/api/v1` and of the OpenAPI document. */
@Public()
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(
    private readonly config: Config,
    private readonly tokens: DevelopmentTokensService,
  ) {}

  @Get()
  ways(): SignInWays {
    return { development: this.tokens.areOffered, provider: this.config.pageSignIn ?? null };
  }

  @Post()
  @HttpCode(200)
  signIn(@Req() request: Request): DevelopmentTokenPair {
    return this.tokens.give(request);
  }
}
