import { Module } from '@nestjs/common';
import { Rollups } from './rollups.service.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

/** What work costs, in credits, and who spent it. */
@Module({
  controllers: [UsageController],
  providers: [UsageRepository, UsageService, Rollups],
  exports: [UsageService],
})
export class UsageModule {}
