import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { DevelopmentTokensService } from './development-tokens.service.js';
import { SignInController } from './sign-in.controller.js';

/** What the page needs beside the documented interface. */
@Module({})
export class WebModule {
  /** A worker serves no page. */
  static forRoot({ ROLE }: Config): DynamicModule {
    return {
      module: WebModule,
      providers: [DevelopmentTokensService],
      exports: [DevelopmentTokensService],
      controllers: ROLE === 'worker' ? [] : [SignInController],
    };
  }
}
