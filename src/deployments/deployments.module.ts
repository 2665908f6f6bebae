import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentsService } from './deployments.service.js';
import { TemplatesService } from './templates.service.js';

/** Manages companies' project templates. */
@Module({
  imports: [FilesModule],
  controllers: [DeploymentsController],
  providers: [DeploymentsRepository, DeploymentsService, TemplatesService],
  exports: [DeploymentsService, TemplatesService],
})
export class DeploymentsModule {}
