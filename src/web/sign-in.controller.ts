import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config, type PageSignIn } from '../config/config.js';
import { Public } from '../auth/decorators.js';
import { type DevelopmentTokenPair, DevelopmentTokensService } from './development-tokens.service.js';

/** Sign-in methods that the page offers, in addition to pasting a token. */
interface SignInWays {
  /** Whether the page may request development tokens. They are returned only to this computer. */
  development: boolean;
  /** Provider where people sign in. Null if not configured. */
  provider: PageSignIn | null;
}

/** Routes for the page only, outside `/api/v1` and the OpenAPI document. */
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
