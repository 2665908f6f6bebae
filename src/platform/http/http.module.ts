import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from '../errors/error.filter.js';
import { ValidationPipe } from '../validation/validation.pipe.js';
import { RequestGuard } from './request.guard.js';

/**
 * How every request is read, checked and refused. Guards run in the order of the modules that bring them: this one is
 * imported before authentication, which comes after the body's syntax.
 */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: RequestGuard },
    { provide: APP_PIPE, useClass: ValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class HttpModule {}
