/* global importNatively */
/**
 * Throttler, loaded by Node. It is a CommonJS module that requires ES modules, which Jest cannot load before Node 24.9.
 */
const loaded = await importNatively('@nestjs/throttler');

export const { InjectThrottlerStorage, ThrottlerGuard, ThrottlerModule } = loaded;
