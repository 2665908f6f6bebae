import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { BudgetsController } from './budgets.controller.js';
import { BudgetsRepository } from './budgets.repository.js';
import { BudgetsService } from './budgets.service.js';
import { RollupsService } from './rollups.service.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

/** Usage and budgets, in credits. */
@Module({
  imports: [ProjectsModule],
  controllers: [UsageController, BudgetsController],
  providers: [UsageRepository, UsageService, RollupsService, BudgetsRepository, BudgetsService],
  exports: [UsageService, BudgetsService],
})
export class UsageModule {}
