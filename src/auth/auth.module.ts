import { Global, Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { RevocationsChannel } from './api-keys/revocations.channel.js';
import { CredentialsService } from './credentials.service.js';
import { CompaniesRepository } from './identities/companies.repository.js';
import { IdentitiesService } from './identities/identities.service.js';
import { UsersRepository } from './identities/users.repository.js';
import { MeController } from './me.controller.js';
import { TokensService } from './tokens/tokens.service.js';

/** Authenticates callers. Manages their credentials, users and API keys. */
@Global()
@Module({
  controllers: [MeController, ApiKeysController],
  providers: [
    TokensService,
    CompaniesRepository,
    UsersRepository,
    IdentitiesService,
    ApiKeysRepository,
    ApiKeysService,
    RevocationsChannel,
    CredentialsService,
  ],
  exports: [
    TokensService,
    CompaniesRepository,
    UsersRepository,
    IdentitiesService,
    ApiKeysService,
    RevocationsChannel,
    CredentialsService,
  ],
})
export class AuthModule {}
