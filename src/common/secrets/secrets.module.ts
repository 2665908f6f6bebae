import { Module } from '@nestjs/common';
import { SecretsRepository } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';

/** Provides random secrets that all processes share. */
@Module({ providers: [SecretsRepository, SecretsService], exports: [SecretsService] })
export class SecretsModule {}
