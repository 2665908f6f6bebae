import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsService } from './deployments.service.js';

/** Company-owned templates of projects. */
@Module({ imports: [FilesModule], controllers: [DeploymentsController], providers: [DeploymentsService], exports: [DeploymentsService] })
export class DeploymentsModule {}
