import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { DevelopmentTokens } from './development-tokens.js';
import { SignInController } from './sign-in.controller.js';

/** What the page needs beside the documented interface. */
@Module({})
export class WebModule {
  /** Only a development start has tokens to give; a worker serves no page. */
  static forRoot({ embedded, ROLE }: Config): DynamicModule {
    const signsIn = embedded && ROLE !== 'worker';
    return {
      module: WebModule,
      providers: [DevelopmentTokens],
      exports: [DevelopmentTokens],
      controllers: signsIn ? [SignInController] : [],
    };
  }
}
