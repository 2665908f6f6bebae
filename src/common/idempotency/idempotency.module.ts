import { Global, Module } from '@nestjs/common';
import { SecretsModule } from '../secrets/secrets.module.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Makes requests take effect only once. Global, so that operations of every module can opt in. */
@Global()
@Module({
  imports: [SecretsModule],
  providers: [IdempotencyRecordsRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
