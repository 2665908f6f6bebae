import { type ExecutionContext, Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { Config } from '../../config/config.js';
import { keyOfCaller, MINUTE_MS } from './limits.js';
import { RequestCounts } from './request-counts.js';
import { UnauthenticatedLimitService } from './unauthenticated-limit.service.js';

/** Limits requests per minute: by caller with {@link ThrottlerModule}, and by address for rejected credentials. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [Config],
      useFactory: ({ RATE_LIMIT_PER_MINUTE: limit }: Config): ThrottlerModuleOptions => ({
        throttlers: [{ ttl: MINUTE_MS, limit }],
        storage: new RequestCounts(),
        skipIf: (context) => limit === 0 || callerIn(context) === undefined,
        // All of a caller's operations are counted together.
        generateKey: (context) => keyOfCaller(callerIn(context)!),
      }),
    }),
  ],
  providers: [UnauthenticatedLimitService],
  exports: [UnauthenticatedLimitService],
})
export class ThrottlingModule {}

const callerIn = (context: ExecutionContext): AuthenticatedRequest['caller'] =>
  context.switchToHttp().getRequest<AuthenticatedRequest>().caller;
