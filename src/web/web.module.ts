import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { DevelopmentTokensService } from './development-tokens.service.js';
import { SignInController } from './sign-in.controller.js';

/** Routes that the page needs in addition to the documented API. */
@Module({})
export class WebModule {
  /** A worker does not serve the page. */
  static forRoot({ ROLE }: Config): DynamicModule {
    return {
      module: WebModule,
      providers: [DevelopmentTokensService],
      exports: [DevelopmentTokensService],
      controllers: ROLE === 'worker' ? [] : [SignInController],
    };
  }
}
