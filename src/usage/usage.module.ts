import { Module } from '@nestjs/common';
import { Rollups } from './rollups.service.js';
import { UsageController } from './usage.controller.js';
import { UsageService } from './usage.service.js';

/** What work costs, in credits, and who spent it. */
@Module({ controllers: [UsageController], providers: [UsageService, Rollups], exports: [UsageService] })
export class UsageModule {}
