import { Global, Module } from '@nestjs/common';
import { SecretsModule } from '../secrets/secrets.module.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Requests that take effect once; offered to all modules, whose operations say that they are served. */
@Global()
@Module({
  imports: [SecretsModule],
  providers: [IdempotencyRecordsRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
