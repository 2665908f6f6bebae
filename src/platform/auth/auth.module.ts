import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthGuard } from './auth.guard.js';
import { IdentitiesService } from './identities.service.js';
import { MeController } from './me.controller.js';
import { TokensService } from './tokens.service.js';

/** Bearer authentication for every route of the application. */
@Global()
@Module({
  controllers: [MeController],
  providers: [TokensService, IdentitiesService, { provide: APP_GUARD, useClass: AuthGuard }],
  exports: [TokensService, IdentitiesService],
})
export class AuthModule {}
