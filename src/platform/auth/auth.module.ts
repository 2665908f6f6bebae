import { Global, Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { Revocations } from './api-keys/revocations.service.js';
import { Credentials } from './credentials.service.js';
import { IdentitiesService } from './identities.service.js';
import { MeController } from './me.controller.js';
import { TokensService } from './tokens/tokens.service.js';

/** Who callers are: their credentials, users and API keys. */
@Global()
@Module({
  controllers: [MeController, ApiKeysController],
  providers: [TokensService, IdentitiesService, ApiKeysService, Revocations, Credentials],
  exports: [TokensService, IdentitiesService, Revocations, Credentials],
})
export class AuthModule {}
