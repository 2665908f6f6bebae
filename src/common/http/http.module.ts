import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from '../errors/error.filter.js';
import { ValidationPipe } from '../validation/validation.pipe.js';
import { BodyReaderService } from './body-reader.service.js';

/** How every request is read, checked and refused. The guards before that are the application's, in their order. */
@Module({
  providers: [
    BodyReaderService,
    { provide: APP_PIPE, useClass: ValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [BodyReaderService],
})
export class HttpModule {}
