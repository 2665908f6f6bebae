import { Global, Module } from '@nestjs/common';
import { SecretsModule } from '../secrets/secrets.module.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Makes requests take effect only once. Available to all modules, whose operations opt in. */
@Global()
@Module({
  imports: [SecretsModule],
  providers: [IdempotencyRecordsRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
