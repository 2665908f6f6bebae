import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { Revocations } from './api-keys/revocations.service.js';
import { AuthGuard } from './auth.guard.js';
import { Credentials } from './credentials.service.js';
import { IdentitiesService } from './identities.service.js';
import { MeController } from './me.controller.js';
import { TokensService } from './tokens/tokens.service.js';

/** Bearer authentication for every route of the application. */
@Global()
@Module({
  controllers: [MeController, ApiKeysController],
  providers: [
    TokensService,
    IdentitiesService,
    ApiKeysService,
    Revocations,
    Credentials,
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
  exports: [TokensService, IdentitiesService, Revocations],
})
export class AuthModule {}
