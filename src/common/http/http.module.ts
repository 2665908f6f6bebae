import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from '../errors/error.filter.js';
import { ValidationPipe } from '../validation/validation.pipe.js';
import { BodyReaderService } from './body-reader.service.js';

/**
 * Reads and validates every request and formats its errors. The application module registers the guards, which run before
 * validation.
 */
@Module({
  providers: [
    BodyReaderService,
    { provide: APP_PIPE, useClass: ValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [BodyReaderService],
})
export class HttpModule {}
